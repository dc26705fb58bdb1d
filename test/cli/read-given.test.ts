import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parsePlainYaml, respelledNumbers } from '../../src/cli/plain-yaml.js';
import { readGivenFile } from '../../src/cli/read-given.js';

const cwd = mkdtempSync(join(tmpdir(), 'perdure-given-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, 'text.yml'), 'größer: 1\n');
writeFileSync(join(cwd, 'empty'), '');
writeFileSync(join(cwd, 'latin1.yml'), Buffer.from('gr\xf6\xdfer: 1\n', 'latin1'));
symlinkSync('text.yml', join(cwd, 'link.yml'));
symlinkSync('nowhere', join(cwd, 'dangling.yml'));
execFileSync('mkfifo', [join(cwd, 'pipe')]);

const read = (file: string): Promise<string> => readGivenFile(file, 'the file of `--inputs`', { cwd });

describe('a file that a person named', () => {
  it.each([
    ['text.yml', 'größer: 1\n'],
    ['link.yml', 'größer: 1\n'],
    [join(cwd, 'text.yml'), 'größer: 1\n'],
    ['empty', ''],
  ])('is read from the folder where they are: %s', async (file, text) => {
    expect(await read(file)).toBe(text);
  });

  // Nobody ever writes into the pipe: a test that waits for it does not end.
  it.each([
    ['none.yml', /^The file of `--inputs` is not there: `none\.yml`\.$/],
    ['dangling.yml', /^The file of `--inputs` is not there: `dangling\.yml`\.$/],
    ['text.yml/below', /^The file of `--inputs` is not there/],
    ['.', /^Expected the file of `--inputs` to be a regular file, got `\.`\.$/],
    ['pipe', /^Expected the file of `--inputs` to be a regular file, got `pipe`\.$/],
    ['/dev/zero', /^Expected the file of `--inputs` to be a regular file, got `\/dev\/zero`\.$/],
    ['latin1.yml', /^Expected `latin1\.yml` to be UTF-8 text\.$/],
  ])('is refused in one sentence where it is none that can be read: %s', async (file, says) => {
    await expect(read(file)).rejects.toThrow(says);
  });
});

describe('data in YAML', () => {
  it.each([
    ['a: 1', { a: 1 }],
    ['{"a": [true, null, 1.5]}', { a: [true, null, 1.5] }],
    // What YAML 1.1 makes something else of stays as it was written.
    ['a: no\nb: 2026-01-01\nc: 010\nd: 1_000', { a: 'no', b: '2026-01-01', c: 10, d: '1_000' }],
    ['__proto__: {polluted: true}', JSON.parse('{"__proto__": {"polluted": true}}')],
    ['1: one', { 1: 'one' }],
    ['', null],
  ])('means what it would in JSON: %j', (text, value) => {
    expect(parsePlainYaml(text)).toEqual(value);
    expect({}).not.toHaveProperty('polluted');
  });

  it.each([
    ['a: &x [1]\nb: *x', /alias/i],
    ['a: 1\na: 2', /unique/i],
    ['[a]: 1', /string/i],
    ['a: [1', /./],
    ['['.repeat(100_000), /^Expected at most 64 levels, got more\.$/],
  ])('is refused by one line where JSON has no such thing: %#', (text, says) => {
    expect(() => parsePlainYaml(text)).toThrow(says);
    try {
      parsePlainYaml(text);
    } catch (error) {
      expect(String(error)).not.toContain('\n');
    }
  });

  it('tells of numbers that are not handed on as they are written', () => {
    const text = 'python: 3.10\nmode: 0755\nmask: 0o755\nquoted: "3.10"\nlist: [{v: 1e3}, 5, -1.5, 0]\nword: 010x\n';
    expect(respelledNumbers(text).map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'python: The number `3.10` is handed on as `3.1`.',
      'mode: The number `0755` is handed on as `755`.',
      'mask: The number `0o755` is handed on as `493`.',
      'list[0].v: The number `1e3` is handed on as `1000`.',
    ]);
  });
});
