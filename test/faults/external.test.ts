// @seconds 20
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from './project.js';
import { kill, openProject, until } from './project.js';

let project: Project;
beforeAll(async () => {
  project = await openProject({
    'definitions/workflows/deploy.yml': `name: deploy
steps:
  - id: publish
    command: [sh, -c, 'echo published >> effects.txt; [ -f finish.txt ] || sleep 600']
    effect: external
  - command: [echo, announced]
`,
  });
});
afterAll(async () => {
  await project.close();
});

const effects = async (): Promise<number> => (await project.read('effects.txt')).split('\n').length - 1;

describe('an external effect whose worker was killed', () => {
  it('is not repeated until a person says so, and then exactly once', async () => {
    const running = project.start('run', 'definitions/workflows/deploy.yml', '--id', 'once', '--no-wait', '--json');
    await until(async () => (await effects()) === 1);
    kill((await project.pids()).host ?? 0);
    const { code } = await running.finished;
    expect(code).toBe(4);
    // What is listed follows the run by a moment.
    await expect
      .poll(async () => (await project.run('list', '--waiting', '--json')).stdout)
      .toContain('Its effect is external and may have happened');
    expect(await effects()).toBe(1);
    await writeFile(`${project.folder}/finish.txt`, '');
    const approved = await project.run('approve', 'once/publish', '--json');
    expect(approved.code, approved.stderr).toBe(0);
    const ended = await project.run('watch', 'once');
    expect(ended.code, ended.stderr).toBe(0);
    expect(await effects()).toBe(2);
  });
});
