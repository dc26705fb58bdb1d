import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from './project.js';
import { openProject, until } from './project.js';

let project: Project;
beforeAll(async () => {
  project = await openProject({
    'definitions/workflows/tree.yml': `name: tree
steps:
  - command: [sh, -c, 'echo begun > begun.txt; sleep 999 & sleep 999']
  - command: [touch, never.txt]
`,
    'definitions/workflows/outer.yml': `name: outer
steps:
  - workflow: tree
`,
  });
});
afterAll(async () => {
  await project.close();
});

/** Processes of this machine that carry the run's tag and are no zombies: what cancel must not leave. */
function tagged(run: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const tag = readFileSync(`/proc/${pid}/environ`, 'utf8')
          .split('\0')
          .find((variable) => variable.startsWith('PERDURE_RUN_TAG='));
        return tag?.endsWith(`:${run}`) === true && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
      } catch {
        return false;
      }
    });
}

describe('perdure cancel', () => {
  it.each(['tree', 'outer'])('of `%s` leaves no process of its tree alive, and the run is cancelled', async (name) => {
    const run = `stop-${name}`;
    const running = project.start('run', `definitions/workflows/${name}.yml`, '--id', run, '--json');
    await until(async () => (await project.read('begun.txt')) !== '' && tagged(run).length >= 3);
    const cancelled = await project.run('cancel', run);
    expect(cancelled.code, cancelled.stderr).toBe(0);
    const { code, stdout } = await running.finished;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled' });
    expect(tagged(run)).toEqual([]);
    expect(await project.read('never.txt')).toBe('');
    const shown = await project.run('show', run, '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'cancelled' });
  });
});
