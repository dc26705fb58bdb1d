// @seconds 30
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

/** Prints each of its arguments as JSON, so that none can pretend to be two. */
const ECHO = 'process.stdout.write(JSON.stringify(process.argv.slice(2)))\n';
const WORKFLOW = `name: words
inputs:
  word: {type: string}
steps:
  - id: echo
    command: [node, echo.mjs, "\${word}", "--name=\${word}", "a \${word} b"]
  - id: again
    command: [node, echo.mjs, "\${steps.echo.output}"]
`;

let project: Project;
beforeAll(async () => {
  project = await openProject({ 'words.yml': WORKFLOW, 'echo.mjs': ECHO });
});
afterAll(() => project.close());

async function run(word: string): Promise<{ code: number | null; result: RunResult; stderr: string }> {
  await writeFile(join(project.folder, 'inputs.json'), JSON.stringify({ word }));
  const { code, stdout, stderr } = await project.run('run', 'words.yml', '--inputs', 'inputs.json', '--json');
  return { code, stderr, result: JSON.parse(stdout) as RunResult };
}

describe('a value in a command', () => {
  it.each([
    ['; touch owned'],
    ['$(touch owned)'],
    ['`touch owned`'],
    ['| touch owned'],
    ['&& touch owned'],
    ['> owned'],
    ['\ntouch owned\n'],
    ["' ; touch owned ; '"],
    ['" ; touch owned ; "'],
    ['--output=owned'],
    ['-o'],
    ['--'],
    ['@owned'],
    ['*'],
    ['~'],
    ['$HOME'],
    ['${word}'],
    ['${steps.echo.output}'],
    ['{{word}}'],
    [''],
    [' '],
    ['\u001b[31m\u0007'],
    ['日本語 🌍'],
    ['\\'],
    ['%s%n'],
  ])('%j stays one argument, and nothing else happens', async (word) => {
    const { code, result, stderr } = await run(word);
    expect(code, stderr).toBe(0);
    const [echo, again] = (result.steps as unknown as { output: string }[]).map(
      ({ output }) => JSON.parse(output) as string[],
    );
    expect(echo).toEqual([word, `--name=${word}`, `a ${word} b`]);
    expect(again).toEqual([JSON.stringify(echo)]);
    expect(existsSync(join(project.folder, 'owned'))).toBe(false);
  });

  it.each([
    ['a NUL', 'a\u0000b'],
    ['200 KB', 'x'.repeat(200_000)],
  ])('%s, which no argument can have, is one clear failure for good', async (_title, word) => {
    const { code, result } = await run(word);
    expect(code).toBe(1);
    expect(result.steps[0]).toMatchObject({ status: 'error', attempts: 1 });
    expect(result.error).toMatch(/argument|NUL/i);
    expect(result.error).not.toContain('x'.repeat(1000));
  });
});
