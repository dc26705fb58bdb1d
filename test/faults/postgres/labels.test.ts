// @module-tag postgres
// @module-tag git
// @seconds 60
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../project.js';
import { kill, until } from '../project.js';
import type { Shared } from './machines.js';
import { openMachine, openShared, startWorker } from './machines.js';

const FLOW = `name: where
execution: parallel
steps:
  - id: gpu
    command: [cat, where]
    effect: none
    requires: {labels: [gpu]}
  - id: both
    command: [cat, where]
    effect: none
    requires: {labels: [lab, gpu], programs: [printenv]}
  - id: lab
    command: [cat, where]
    effect: none
    requires: {labels: [lab]}
`;
const LATE = FLOW.replace('name: where', 'name: late').replaceAll('lab]', 'late]').replace('[lab, gpu]', '[late]');

let shared: Shared;
beforeAll(async () => {
  shared = await openShared();
});
afterAll(() => shared.close());

function machine(url: string, where: string): Promise<Project> {
  return openMachine(
    { 'where.yml': FLOW, 'late.yml': LATE, where },
    { TEAM_STORE: url, TEMPORAL_ADDRESS: shared.address },
  );
}

async function outputs(project: Project, run: string): Promise<unknown[]> {
  const { steps } = JSON.parse((await project.run('show', run, '--json')).stdout) as { steps: { output: unknown }[] };
  return steps.map(({ output }) => output);
}

describe('steps that require labels', () => {
  it('go to workers that have all of them, and wait for one that is not there, and say so', async () => {
    const url = await shared.postgres.createDatabase();
    const [one, other] = [await machine(url, 'one'), await machine(url, 'other')];
    await startWorker(one, '--labels', 'gpu');
    await startWorker(other, '--labels', 'lab,gpu');
    const listed = JSON.parse((await one.run('workers', '--json')).stdout) as { labels: string[]; draining: boolean }[];
    expect(listed.map(({ labels }) => labels).sort()).toEqual([['gpu'], ['gpu', 'lab']]);
    for (const id of ['a', 'b', 'c']) {
      expect(await one.run('run', 'where.yml', '--id', id)).toMatchObject({ code: 0 });
      const [gpu, both, lab] = await outputs(one, id);
      expect(['one', 'other']).toContain(gpu);
      expect([both, lab]).toEqual(['other', 'other']);
    }

    const submitted = await one.run('run', 'late.yml', '--id', 'late', '--detach');
    expect(submitted.stderr).toContain('A step requires a worker with the label `late`; none serves now.');
    const waits = 'waits for a worker with the label `late`; none serves now';
    await until(async () => (await one.run('show', 'late')).stdout.includes(`\`lab\` ${waits}.`));
    // What is listed follows the run by a moment.
    await until(async () => (await other.run('list')).stdout.includes(waits));
    await until(async () => (await other.run('doctor')).stdout.includes(waits));
    const third = await machine(url, 'third');
    await startWorker(third, '--labels', 'late');
    await until(async () => (await one.run('show', 'late', '--json')).stdout.includes('"status": "success"'));
    const [, both, lab] = await outputs(third, 'late');
    expect([both, lab]).toEqual(['third', 'third']);
    await until(async () => !(await one.run('list')).stdout.includes(waits));
  });

  it('wait no longer for a worker that ends, and find the next one', async () => {
    const url = await shared.postgres.createDatabase();
    const [one, other] = [await machine(url, 'one'), await machine(url, 'other')];
    await startWorker(one);
    const lab = await startWorker(other, '--labels', 'lab,gpu');
    expect((await one.run('run', 'where.yml', '--id', 'first')).code).toBe(0);
    kill(lab.process.pid ?? 0, 'SIGTERM');
    await lab.finished;
    expect((await one.run('workers', '--json')).stdout).not.toContain('gpu');
    expect((await one.run('run', 'where.yml', '--id', 'second', '--detach')).code).toBe(0);
    await startWorker(other, '--labels', 'lab,gpu');
    await until(async () => (await one.run('show', 'second', '--json')).stdout.includes('"status": "success"'));
    expect(await outputs(one, 'second')).toEqual(['other', 'other', 'other']);
  });
});
