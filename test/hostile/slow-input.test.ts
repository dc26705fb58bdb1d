import { beforeEach, describe, expect, it } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bareJson } from '../../src/activities/models/judge.js';
import { testCounts } from '../../src/activities/tools/shell/test-counts.js';
import { testSetup } from '../../src/activities/tools/shell/test-setup.js';
import { convert } from '../../src/activities/values/convert-output.js';
import type { BuiltinTool } from '../../src/plan/tools/tool.js';
import type { JsonObject } from '../../src/plan/values/json.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

/*
 * One host does the work of many runs: what a model or a workspace wrote must not keep it busy, nor fill its memory.
 */

const LENGTH = 20_000;
const MORE = 8;

/** What is made of `length` characters, so that a pattern that tries all ways takes long. */
const TEXTS: Record<string, (length: number) => string> = {
  'equal signs': (length) => '='.repeat(length),
  'equal signs before summaries': (length) => '='.repeat(length / 2) + '1 passed '.repeat(length / 18),
  'summaries of pytest': (length) => '1 passed in 1 failed in '.repeat(length / 24),
  blanks: (length) => `Tests ${' '.repeat(length)}`,
  'blanks after a colon': (length) => `Tests: ${' '.repeat(length)}`,
  'empty lines': (length) => '\n'.repeat(length),
  digits: (length) => `Tests ${'1'.repeat(length)}`,
};
const SETUPS: Record<string, (length: number) => string> = {
  '.npmrc': (length) => '\n'.repeat(length),
  'vite.config.ts': (length) => `test: {${'{}'.repeat(length / 2)}`,
  'pyproject.toml': (length) => '[pytest'.repeat(length / 7),
};

const ANSWERS: Record<string, (length: number) => unknown> = {
  'a fence and blanks': (length) => bareJson(`\`\`\`json\n${' '.repeat(length)}x`),
  'a fence and empty lines': (length) => bareJson(`\`\`\`json${'\n'.repeat(length)}x`),
  'digits that are no number': (length) => {
    try {
      return convert(`${'1'.repeat(length)}x`, 'number');
    } catch {
      return null;
    }
  },
};

const spent = (act: () => unknown): number => {
  const before = process.cpuUsage();
  act();
  return process.cpuUsage(before).user;
};
/** Eight times as much takes about eight times as long, and not sixty-four times. */
function expectLinear(act: (length: number) => unknown): void {
  act(LENGTH);
  const least = 5_000;
  expect(spent(() => act(LENGTH * MORE))).toBeLessThan(
    4 *
      MORE *
      Math.max(
        least,
        spent(() => act(LENGTH)),
      ),
  );
}

describe('a text that a model or a workspace wrote takes as long as it is', () => {
  it.each(Object.keys(TEXTS))('where tests are counted: %s', (name) => {
    expectLinear((length) => testCounts(TEXTS[name]?.(length) ?? ''));
  });

  it.each(Object.keys(ANSWERS))('where a model answers: %s', (name) => {
    expectLinear((length) => ANSWERS[name]?.(length));
  });

  it.each(Object.keys(SETUPS))('where it sets up tests: `%s`', (name) => {
    expectLinear((length) => testSetup(name, SETUPS[name]?.(length) ?? ''));
  });

  it('and counts whole where it is too long for a person to have written it', () => {
    const text = `test: {${'a'.repeat(9_000_000)}`;
    expect(testSetup('vite.config.ts', text)).toBe(text);
  });

  it('and ends, however deep it is, and however many scripts call one another', () => {
    const deep = `{"jest": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(testSetup('package.json', deep)).toBe(deep);
    const calls = Array.from({ length: 20_000 }, (_none, index) => [`s${index}`, `npm run s${index + 1}`]);
    const scripts = { test: 'npm run s0', ...Object.fromEntries(calls) };
    expect(testSetup('package.json', JSON.stringify({ scripts }))).toContain('["s19999","npm run s20000"]');
  });
});

describe('a call of a model', () => {
  let context: Awaited<ReturnType<typeof toolContext>>;
  const said = async (name: BuiltinTool, args: JsonObject): Promise<string> =>
    JSON.stringify(await callTool({ kind: 'builtin', name }, args, context));

  beforeEach(async () => {
    context = await toolContext();
    await writeFile(join(context.workspace, 'a.txt'), 'a'.repeat(1_000_000));
  });

  it.each(['{a,b,c}{a,b,c}{a,b,c}{a,b,c}', `{${'a,'.repeat(64)}a}`])(
    'with a pattern that stands for too many is refused: %s',
    async (pattern) => {
      expect(await said('list_files', { pattern })).toContain('at most 64 others');
      expect(await said('search_files', { pattern: 'a', files: pattern })).toContain('at most 64 others');
    },
  );

  it('with a pattern of any length is refused, and nothing is looked for', async () => {
    const pattern = `{${'ab,'.repeat(500)}x}`;
    for (const run of [said('list_files', { pattern }), said('search_files', { pattern: 'a', files: pattern })])
      expect(await run).toContain('1000');
  });

  it('makes no file larger than any that it may write', async () => {
    const after = { old_text: 'a', new_text: 'b'.repeat(100), all: true };
    expect(await said('edit_file', { path: 'a.txt', ...after })).toContain('would have 100000000 bytes');
    expect(await said('edit_file', { path: 'a.txt', ...after, new_text: 'bb' })).toContain('Replaced 1000000 places');
  });

  it('with more arguments than the system takes is told so', async () => {
    const argv = ['ls', ...Array.from({ length: 200 }, () => 'x'.repeat(32_000))];
    expect(await said('shell', { argv })).toContain('too long for the system');
  });
});
