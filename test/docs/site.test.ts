import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { packageRoot } from '../../src/compiler/text/disk.js';
import { newFolder } from '../cli/helpers/command-line.js';

const root = packageRoot();

function script(name: string, args: string[], docs = root): { status: number | null; stderr: string } {
  const env = { ...process.env, PERDURE_DOCS: docs };
  return spawnSync(process.execPath, [join(root, 'scripts', name), ...args], { encoding: 'utf8', env });
}

describe('the pages of the documents', () => {
  it('are made of all documents, and every link in them leads somewhere', () => {
    const site = join(newFolder(), 'site');
    expect(script('build-site.mjs', [site])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(' 0 broken') as string,
    });
    const page = readFileSync(join(site, 'docs', 'cli.html'), 'utf8');
    expect(page).toContain('<h2 id="exit-codes">');
    expect(page).toContain('href="import.html"');
    expect(existsSync(join(site, 'definitions', 'workflows', 'blink.yml'))).toBe(true);
  });

  it('are refused where a link leads to no file or heading', () => {
    const docs = newFolder({
      'README.md': '# Here\n\n[a](docs/b.md#no) [c](gone.md) [d](#here)\n',
      'docs/b.md': '# B\n',
    });
    const { status, stderr } = script('build-site.mjs', [join(docs, 'site')], docs);
    expect(status).toBe(1);
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      'README.md: docs/b.md#no: no such heading',
      'README.md: gone.md: no such file',
    ]);
  });
});

describe('the manual page', () => {
  it('names every command with its options, and is taken by `man` as words', () => {
    const page = join(newFolder(), 'man', 'perdure.1');
    expect(script('write-man.mjs', [page])).toMatchObject({ status: 0, stderr: '' });
    const text = readFileSync(page, 'utf8');
    for (const { name, options } of COMMANDS) {
      expect(text).toContain(`.SS \\fBperdure ${name.replaceAll('-', '\\-')}\\fR`);
      for (const { flags } of options) expect(text).toContain(flags.replaceAll('-', '\\-'));
    }
    // What begins with a dot is a request to it.
    expect(text.match(/^\.(?!TH|SH|SS|TP|PP|EX|EE|B |I |RI )/gm)).toBeNull();
  });
});
