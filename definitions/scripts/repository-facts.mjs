// Facts about a git repository, for workflows that review one: `node repository-facts.mjs <kind> <folder>`.
// Only tracked files count. Prints text for people and models; exits with 1 and git's own words when git fails.
import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

const KINDS = { head, sizes, churn, markers, excerpts };
const MAX_FILE_BYTES = 512 * 1024;
const LEFT_TO_DO = /\b(?:TODO|FIXME|HACK|XXX)\b/;
const RUNS_TEXT = /\beval\(|\bnew Function\(|shell:\s*true|dangerouslySetInnerHTML/;
const TRUSTS_ALL = /verify\s*=\s*False|InsecureSkipVerify/;
const MARKS = [LEFT_TO_DO, RUNS_TEXT, TRUSTS_ALL];
const SOURCE = new Set(
  (
    '.c .cc .cpp .cs .ex .exs .go .h .hpp .hs .java .js .jsx .kt .lua .mjs .ml .php .pl .py .rb .rs .scala .sh ' +
    '.sql .swift .ts .tsx .vue .zig'
  ).split(' '),
);

const [kind = '', folder = '.'] = process.argv.slice(2);
const fact = Object.hasOwn(KINDS, kind) ? KINDS[kind] : null;
if (fact === null) {
  console.error(`Expected one of ${Object.keys(KINDS).join(', ')}, got \`${kind}\``);
  process.exitCode = 2;
} else {
  try {
    console.log(fact());
  } catch (error) {
    console.error(error.stderr?.trim() || error.message);
    process.exitCode = 1;
  }
}

/** Which repository this is, and where it stands: `name at 1a2b3c4 of 2026-11-21`. */
function head() {
  const name = basename(git('rev-parse', '--show-toplevel').trim());
  return `${name} at ${git('log', '-1', '--format=%h of %cs').trim()}`;
}

/** The largest files, and files and lines by kind of file. */
function sizes() {
  const files = texts().map(({ path, text }) => ({ path, lines: text.split('\n').length }));
  const kinds = new Map();
  for (const { path, lines } of files) {
    const key = extname(path) || '(none)';
    const sum = kinds.get(key) ?? { files: 0, lines: 0 };
    kinds.set(key, { files: sum.files + 1, lines: sum.lines + lines });
  }
  const byLines = (a, b) => b.lines - a.lines;
  const total = files.reduce((sum, { lines }) => sum + lines, 0);
  return [
    `${files.length} text files, ${total} lines`,
    ...[...kinds]
      .map(([name, sum]) => ({ name, ...sum }))
      .sort(byLines)
      .slice(0, 12)
      .map(({ name, files, lines }) => `  ${name}: ${files} files, ${lines} lines`),
    'Largest:',
    ...files
      .sort(byLines)
      .slice(0, 20)
      .map(({ path, lines }) => `  ${lines} lines  ${path}`),
  ].join('\n');
}

/** The files that most of the last 300 commits touched. */
function churn() {
  const lines = changedFiles()
    .slice(0, 20)
    .map(([path, commits]) => `  ${commits} commits  ${path}`);
  return ['Of the last 300 commits:', ...lines].join('\n');
}

/** Marks that people leave, and calls that deserve a look. */
function markers() {
  const found = sources().flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        MARKS.some((mark) => mark.test(line)) ? [`  ${path}:${index + 1}: ${line.trim().slice(0, 140)}`] : [],
      ),
  );
  const rest = found.length > 80 ? [`  … and ${found.length - 80} more`] : [];
  return [`${found.length} lines with a mark:`, ...found.slice(0, 80), ...rest].join('\n');
}

/** The source files that change most and then the largest, with line numbers, about 64 KB in all. */
function excerpts() {
  const commits = new Map(changedFiles());
  const weight = ({ path, text }) => (commits.get(path) ?? 0) * Math.sqrt(text.length);
  const parts = [];
  let left = 64 * 1024;
  for (const { path, text } of sources().sort((a, b) => weight(b) - weight(a))) {
    const numbered = text.split('\n').map((line, index) => `${index + 1}\t${line}`);
    let part = `### ${path}\n`;
    for (const line of numbered) {
      if (part.length + line.length > Math.min(left, 12 * 1024)) {
        part += '… (cut here)\n';
        break;
      }
      part += `${line}\n`;
    }
    parts.push(part);
    left -= part.length;
    if (left < 2048) break;
  }
  return parts.join('\n');
}

/** `[path, commits]` of the files that the last 300 commits changed, the busiest first. */
function changedFiles() {
  const counts = new Map();
  for (const path of git('log', '-300', '--format=', '--name-only', '-z')
    .split('\0')
    .map((name) => name.trim())
    .filter(Boolean)) {
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  const tracked = new Set(paths());
  return [...counts].filter(([path]) => tracked.has(path)).sort(([, a], [, b]) => b - a);
}

function sources() {
  return texts().filter(({ path }) => SOURCE.has(extname(path)));
}

/** Every tracked text file: no links, nothing binary, nothing huge. */
function texts() {
  return paths().flatMap((path) => {
    const stat = lstatSync(join(folder, path), { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > MAX_FILE_BYTES) return [];
    const bytes = readFileSync(join(folder, path));
    return bytes.subarray(0, 8000).includes(0) ? [] : [{ path, text: bytes.toString('utf8') }];
  });
}

function paths() {
  return git('ls-files', '-z').split('\0').filter(Boolean);
}

function git(...args) {
  return execFileSync('git', ['-C', folder, ...args], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
