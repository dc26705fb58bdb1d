// @module-tag sandbox
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/plan/values/json.js';
import { callTool, toolContext } from '../../helpers/tool-context.js';

let context: Awaited<ReturnType<typeof toolContext>>;
beforeEach(async () => {
  context = await toolContext();
});

const runTests = (argv: string[], more: JsonObject = {}): ReturnType<typeof callTool> =>
  callTool({ kind: 'builtin', name: 'run_tests' }, { argv, ...more }, context);
const start = (argv: string[], more: JsonObject = {}): ReturnType<typeof callTool> =>
  callTool({ kind: 'builtin', name: 'start_program' }, { argv, ...more }, context);
const put = (name: string, text: string): Promise<void> => writeFile(join(context.workspace, name), text);

describe('run_tests', () => {
  it('counts the tests that ran, and says of a failed one that it failed', async () => {
    await put('a.test.mjs', "import { test } from 'node:test'; test('adds', () => {});");
    expect(await runTests(['node', '--test'])).toMatchObject({
      content: { ok: true, passed: 1, failed: 0, exit_code: 0, reason: null },
      is_error: false,
    });
    await put('b.test.mjs', "import { test } from 'node:test'; test('no', () => { throw new Error('seven'); });");
    expect(await runTests(['node', '--test'])).toMatchObject({
      content: {
        ok: false,
        passed: 1,
        failed: 1,
        reason: '1 of 2 tests failed.',
        output: expect.stringContaining('seven') as string,
      },
    });
  });

  it.each([
    ['no test ran', "console.log('# pass 0');", 'No test ran.'],
    ['nothing counts them', "console.log('all is well');", 'Nothing says how many tests ran.'],
    ['the runner breaks off', "console.log('PASS: one'); process.exit(3);", 'The tests ended with exit code 3.'],
    ['they do not end', "console.log('PASS: one'); setInterval(() => {}, 1000);", 'The tests did not end within 2 s.'],
  ])('is no pass where %s', async (_case, script, reason) => {
    await put('tests.mjs', script);
    expect(await runTests(['node', 'tests.mjs'], { timeout_s: 2 })).toMatchObject({ content: { ok: false, reason } });
  });
});

describe('start_program', () => {
  it.each([
    ['stays', 'setInterval(() => {}, 1000);', { ok: true, stayed: true, exit_code: null }],
    ['ends well', "console.log('done');", { ok: true, stayed: false, exit_code: 0, output: 'done' }],
    ['breaks', "throw new Error('seven');", { ok: false, exit_code: 1, reason: 'It ended with exit code 1.' }],
  ])('says of a program that %s whether it works', async (_case, script, content) => {
    await put('main.mjs', script);
    expect(await start(['node', 'main.mjs'], { for_s: 2 })).toMatchObject({ content, is_error: false });
  });
});
