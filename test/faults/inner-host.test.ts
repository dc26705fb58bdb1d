// @seconds 20
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, openProject, until } from './project.js';
import type { Project } from './project.js';

let inner: Project;
let outer: Project;
beforeAll(async () => {
  inner = await openProject({
    'definitions/workflows/inner.yml': `name: inner
steps:
  - command: [sh, -c, 'until [ -f go.txt ]; do sleep 0.1; done; echo gone > gone.txt']
`,
  });
  outer = await openProject({
    'definitions/workflows/outer.yml': `name: outer
steps:
  - command: ["${process.execPath}", "${MAIN}", run, definitions/workflows/inner.yml, --id, inner, --detach]
    cwd: ${inner.folder}
    env: {PERDURE_TEMPORAL_BIN: "${process.env['PERDURE_TEMPORAL_BIN'] ?? ''}"}
  # What the step before has left is looked for every 2 s.
  - command: [sleep, "5"]
`,
  });
});
afterAll(async () => {
  await outer.close();
  await inner.close();
});

describe('a run that a command of another project has started', () => {
  it('goes on when the command has ended', async () => {
    const { code, stderr } = await outer.run('run', 'definitions/workflows/outer.yml', '--id', 'outer', '--json');
    expect(code, stderr).toBe(0);
    await writeFile(join(inner.folder, 'go.txt'), '');
    await until(async () => (await inner.read('gone.txt')) === 'gone\n');
  });
});
