// Looks in every tracked file for what must never be committed: secrets, paths of one machine, registry hosts, and
// lines of code that are too wide (Prettier breaks no string, regular expression or comment). Folders of code with more
// files side by side than a reader takes in are told, too (docs/decisions/025-rooms.md).
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

// Tests make up keys with `canary` in them, and the homes of `me` and `you`.
const FORBIDDEN = [
  { what: 'a secret', pattern: /\bsk-ant-(?!canary)[A-Za-z0-9_-]{16,}|\bAKIA[A-Z0-9]{16}\b|\bghp_[A-Za-z0-9]{30,}/ },
  { what: 'a private key', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ },
  {
    what: 'a path of one machine',
    pattern:
      /(?<![\w.])\/(?:home|Users)\/(?!me\/|you\/)[a-z][\w.-]*\/|(?<![\w.])\/work\/(?:main|shared)\b|(?<![\w.])\/root\//,
  },
  {
    what: 'a registry host',
    pattern: /registry\.[a-z]+js\.org|registry\.yarnpkg|proxy\.golang\.org|deb\.debian\.org|files\.pythonhosted/,
  },
];
const MAX_COLUMNS = 120;
const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 25;
/** Folders of alike files, one of which is looked up by its name. */
const CATALOGUES = ['src/cli/commands'];
const SELF = 'scripts/check-tracked-files.mjs';

const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean);
const findings = [...files.flatMap(examine), ...tooFull(files)];
for (const finding of findings) console.error(finding);
console.error(`tracked files: ${findings.length} findings in ${files.length} files`);
process.exitCode = findings.length === 0 ? 0 : 1;

function examine(file) {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (file === SELF || !stat?.isFile()) return [];
  const large = stat.size > MAX_BYTES ? [`${file}: ${stat.size} bytes, more than ${MAX_BYTES}`] : [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return [
    ...large,
    ...(/\.(?:tsx?|mjs|js)$/.test(file) ? tooWide(file, lines) : []),
    ...lines.flatMap((line, index) =>
      FORBIDDEN.filter(({ pattern }) => pattern.test(line)).map(
        ({ what }) => `${file}:${index + 1}: ${what}: ${line.trim().slice(0, 120)}`,
      ),
    ),
  ];
}

function tooWide(file, lines) {
  return lines.flatMap((line, index) =>
    [...line].length > MAX_COLUMNS
      ? [`${file}:${index + 1}: ${[...line].length} columns, more than ${MAX_COLUMNS}`]
      : [],
  );
}

function tooFull(all) {
  const counts = new Map();
  for (const folder of all.filter((file) => file.startsWith('src/')).map(dirname))
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > MAX_FILES && !CATALOGUES.includes(folder))
    .map(([folder, count]) => `${folder}: ${count} files side by side, more than ${MAX_FILES}`);
}
