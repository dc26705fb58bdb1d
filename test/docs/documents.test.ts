// @module-tag git
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/compiler/text/disk.js';

const root = packageRoot();
const text = (file: string): string => readFileSync(join(root, file), 'utf8');
const tracked = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '--', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)));

const documents = tracked('*.md').filter((file) => !file.startsWith('definitions/invalid/'));
const decisions = readdirSync(join(root, 'docs/decisions')).filter((file) => /^\d{3}-/.test(file));

/** What stands in code blocks may be about a project of somebody else, but for the maps of folders. */
const withoutBlocks = (file: string): string => text(file).replace(/^```\w*\n[^]*?^```$/gm, '');

/** Paths of this repository in backquotes; those with a placeholder are none. */
function pathsIn(file: string): string[] {
  const spans = [...withoutBlocks(file).matchAll(/`([^`]+)`/g)].map(([, span]) => span ?? '');
  const maps = [...text(file).matchAll(/^(\S+\/) {2,}\S/gm)].map(([, path]) => path ?? '');
  return [...spans.flatMap((span) => span.split(/\s/)), ...maps].filter((path) =>
    /^(src|test|docs|scripts|bench)\/[\w./-]*$/.test(path),
  );
}

/** Links to files, without those to the web. */
const linksIn = (file: string): string[] =>
  [...withoutBlocks(file).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^[a-z]+:/.test(target));

/** As Markdown renderers name headings. */
const anchorsOf = (file: string): string[] =>
  [...withoutBlocks(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('the documents', () => {
  const each = (of: (file: string) => string[]): string[] =>
    documents.flatMap((file) => of(file).map((found) => `${file}: ${found}`));

  it('name only paths that exist', () => {
    expect(documents.flatMap(pathsIn).length).toBeGreaterThan(50);
    expect(each((file) => pathsIn(file).filter((path) => !existsSync(join(root, path))))).toEqual([]);
  });

  it('link only to what exists', () => {
    const isBroken = (file: string, target: string): boolean => {
      const [path = '', anchor] = target.split('#');
      const to = path === '' ? file : join(dirname(file), path);
      return !existsSync(join(root, to)) || (anchor !== undefined && !anchorsOf(to).includes(anchor));
    };
    expect(each((file) => linksIn(file).filter((target) => isBroken(file, target)))).toEqual([]);
  });

  it('have lines of at most 160 columns, but for tables', () => {
    const isWide = (line: string): boolean => line.length > 160 && !line.startsWith('|');
    expect(each((file) => text(file).split('\n').filter(isWide))).toEqual([]);
  });
});

describe('the questions of CONTRIBUTING.md', () => {
  const [, table = ''] = /^## Where a change is made\n\n([^]*?)\n\n/m.exec(text('CONTRIBUTING.md')) ?? [];
  const rows = table.split('\n').slice(2);

  it('are answered by one to three paths each', () => {
    expect(rows.length).toBeGreaterThanOrEqual(10);
    const paths = (row: string): number => [...row.matchAll(/`(src|docs|definitions)\/[^`]+`/g)].length;
    expect(rows.filter((row) => paths(row) < 1 || paths(row) > 3)).toEqual([]);
  });
});

describe('the decisions', () => {
  it('have one number each, without a gap', () => {
    expect(decisions.map((file) => Number(file.slice(0, 3)))).toEqual(decisions.map((_, index) => index + 1));
  });

  it('begin with their number', () => {
    const others = decisions.filter(
      (file) => !text(`docs/decisions/${file}`).startsWith(`# ${Number(file.slice(0, 3))}. `),
    );
    expect(others).toEqual([]);
  });

  it('stand in their index', () => {
    const files = tracked('docs/decisions/*.md').map((file) => file.slice('docs/decisions/'.length));
    const links = linksIn('docs/decisions/README.md');
    expect(files.filter((file) => file !== 'README.md' && !links.includes(file))).toEqual([]);
  });

  it('are there where one is cited', () => {
    const cited = tracked('src', 'test', 'scripts', 'bench', '*.md', '*.js').flatMap((file) =>
      [...text(file).matchAll(/\bdecision (\d+)\b/gi)].map(([, number]) => `${file}: ${number}`),
    );
    const numbers = new Set(decisions.map((file) => String(Number(file.slice(0, 3)))));
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter((one) => !numbers.has(one.split(': ')[1] ?? ''))).toEqual([]);
  });

  it('say of each dependency why it is there', () => {
    const known: unknown = JSON.parse(text('package.json'));
    const { dependencies, devDependencies, overrides } = known as Record<string, Record<string, string>>;
    const words = tracked('docs/decisions/*.md').map(text).join('\n');
    const missing = Object.keys({ ...dependencies, ...devDependencies, ...overrides }).filter(
      (name) => !words.includes(`\`${name}\``),
    );
    expect(missing).toEqual([]);
  });
});
