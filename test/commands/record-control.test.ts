// @seconds 15
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const DECIDED = `name: decided
steps:
  - id: each
    foreach: [north, south]
    command: [echo, "\${item}"]
  - id: name
    ask: "What is it called?"
  - id: ok
    approval: "Publish \${steps.name.output}?"
    content: "\${steps.name.output}"
    on_error: continue
  - id: publish
    command: [sh, -c, "echo published >> published.txt"]
    effect: external
    when: "\${steps.ok.status == 'success'}"
`;
const FILE = 'definitions/workflows/decided.yml';

let project: Project;
beforeAll(async () => {
  project = await openProject({ [FILE]: DECIDED });
  await decidedRun('yes', ['approve', 'yes/ok', '--as', 'ana']);
  await decidedRun('no', ['reject', 'no/ok', '--as', 'bo', '--comment', 'too early']);
});
afterAll(() => project.close());

async function decidedRun(id: string, decision: string[]): Promise<void> {
  expect((await project.run('run', 'decided', '--id', id, '--no-wait')).code).toBe(4);
  expect((await project.run('answer', `${id}/name`, 'Oslo')).code).toBe(0);
  expect((await project.run('watch', id, '--no-wait')).code).toBe(4);
  expect((await project.run(...decision)).code).toBe(0);
  await project.run('watch', id);
}

const change = async (from: string, to: string, edit: (text: string) => string): Promise<void> => {
  const text = await project.read(from);
  expect(edit(text)).not.toBe(text);
  await writeFile(join(project.folder, to), edit(text));
};

describe('a recorded run', () => {
  it('has what people decided and what commands gave, and is played again without either', async () => {
    for (const run of ['yes', 'no'])
      expect((await project.run('record', run, '--commands', '--to', `recordings/${run}.yml`)).code).toBe(0);
    const text = await project.read('recordings/no.yml');
    expect(text).toContain('flow:\n    each/0: success\n    each/1: success\n');
    expect(text).toContain('decision: reject\n    by:\n      - bo\n    comment: too early\n');
    expect(text).toContain('output: Oslo\n');
    expect(text).toContain('- step: each/1\n    output: south\n');
    expect(await project.read('published.txt')).toBe('published\n');
    const { code, stdout } = await project.run('test', 'recordings');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '✓ recordings/no.yml\n✓ recordings/yes.yml\n2 passed, 0 failed\n',
    });
    expect(await project.read('published.txt')).toBe('published\n');
  });

  it('fails as a test that is decided otherwise, by a diff of the steps', async () => {
    await change('recordings/yes.yml', 'otherwise.yml', (text) =>
      text.replace('decision: approve', 'decision: reject'),
    );
    const { code, stdout } = await project.run('test', 'otherwise.yml');
    expect(code).toBe(1);
    expect(stdout).toContain('    ok: expected `success`, got `error`\n');
    expect(stdout).toContain('    publish: expected `success`, got `skipped`\n');
  });

  it('fails as a test where another item runs, and runs no command that nobody recorded', async () => {
    await change(FILE, FILE, (text) => text.replace('[north, south]', '[north, "touch", south]'));
    const { code, stdout } = await project.run('test', 'recordings/yes.yml');
    expect(code).toBe(1);
    expect(stdout).toContain('    control flow, as it was recorded (-) and as it went (+):\n    + each/2 error\n');
    expect(stdout).toContain('No result is recorded for the command `each/2`: it is not run.');
    await change(FILE, FILE, (text) => text.replace('[north, "touch", south]', '[north]'));
    expect((await project.run('test', 'recordings/yes.yml')).stdout).toContain('    - each/1 success\n');
    await change(FILE, FILE, (text) => text.replace('[north]', '[north, south]'));
  });

  it('fails as a test that asks nobody where people decided, and one that asks what nobody answered', async () => {
    await change('recordings/yes.yml', 'more.yml', (text) => text.replace('gate: ok', 'gate: gone'));
    const more = await project.run('test', 'more.yml');
    expect(more.code).toBe(1);
    expect(more.stdout).toContain('    gone: approve was recorded, and nobody was asked\n');
    await change('recordings/yes.yml', 'less.yml', (text) => text.replace('gate: name', 'gate: other'));
    const less = await project.run('test', 'less.yml');
    expect(less.code).toBe(1);
    expect(less.stdout).toContain('    status: expected `success`, got `cancelled`\n');
    expect(less.stdout).toContain('    name: Gate `name` is a question: answer it.\n');
  });
});
