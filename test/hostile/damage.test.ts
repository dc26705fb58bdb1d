// @seconds 45
import { appendFile, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const LATER = `name: later
steps:
  - id: text
    command: [seq, "4000"]
  - id: ok
    approval: Go on?
  - id: uses
    command: [tail, -c, "5"]
    stdin: "\${steps.text.output}"
`;

let project: Project;
beforeAll(async () => {
  project = await openProject({ 'later.yml': LATER });
});
afterAll(() => project.close());

/** The one stored file that holds this text, of those that `seq` wrote. */
async function fileWith(text: string): Promise<string> {
  const folder = join(project.folder, '.perdure', 'values');
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const file = join(entry.parentPath, entry.name);
    if ((await readFile(file, 'utf8')).includes(text)) return file;
  }
  throw new Error(`No stored value has \`${text}\``);
}

describe('a stored value that is damaged under a run', () => {
  it.each<[string, (file: string) => Promise<void>, RegExp]>([
    [
      'one flipped byte',
      async (file) => writeFile(file, (await readFile(file, 'utf8')).replace('3999', '3998')),
      /sha256:[0-9a-f]{64}/,
    ],
    ['a cut end', async (file) => writeFile(file, (await readFile(file, 'utf8')).slice(0, 100)), /sha256:[0-9a-f]{64}/],
    ['bytes behind it', (file) => appendFile(file, 'x'), /sha256:[0-9a-f]{64}/],
    ['nothing in it', (file) => writeFile(file, ''), /sha256:[0-9a-f]{64}/],
    ['another value in its place', (file) => writeFile(file, '"not what was approved"'), /sha256:[0-9a-f]{64}/],
    ['no file at all', (file) => rm(file), /sha256:[0-9a-f]{64}/],
  ])('%s: the step that needs it fails for good, names it, and never sees wrong data', async (title, damage, names) => {
    const run = title.replaceAll(' ', '-');
    expect((await project.run('run', 'later.yml', '--id', run, '--no-wait')).code).toBe(4);
    const file = await fileWith('3999');
    const before = await readFile(file);
    // A host of its own would still have the value in memory: what counts is what is on disk.
    await project.run('server', 'stop');
    await damage(file);
    expect((await project.run('approve', run)).code).toBe(0);
    const { code, stderr } = await project.run('watch', run);
    await writeFile(file, before);
    expect(code).toBe(1);
    expect(stderr).toMatch(names);
    const result = JSON.parse((await project.run('show', run, '--json')).stdout) as RunResult;
    expect(result.steps[2]).toMatchObject({ status: 'error', failure: 'store-missing', attempts: 1, output: null });
  });
});
