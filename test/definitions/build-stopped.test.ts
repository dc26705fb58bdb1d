// @module-tag git
// @module-tag sandbox
// @seconds 60
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BuildReport } from '../../src/cli/build/report/report.js';
import type { RunResult } from '../../src/plan/result.js';
import type { Answer } from '../fakes/model-endpoint.js';
import { COUNTER_SPEC, mendCounter, taskOf, TASKS, team } from './counter-build.js';
import type { ShippedProject } from './shipped-project.js';
import { nextGate, openShippedProject } from './shipped-project.js';

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
  mkdirSync(join(project.folder, 'definitions', 'builds'), { recursive: true });
});
afterAll(async () => {
  await project.close();
});

async function build(id: string, workflow: object): Promise<void> {
  const file = join(project.folder, 'definitions', 'builds', 'counter.yml');
  writeFileSync(file, JSON.stringify({ ...COUNTER_SPEC, workflow }));
  const { code, told } = await project.run(
    '../builds/counter.yml',
    ['--id', id, '--no-wait'],
    team(0, () => ({ text: 'Nothing to do.' })),
  );
  expect(code, told).toBe(4);
}

describe('a build that a person has stopped', () => {
  it('is reported as far as it came, and mended only when its tests pass', async () => {
    await build('red', { approve_plan: false, max_rounds: 1 });
    await project.perdure('answer', (await nextGate(project, 'red')).gate, 'stop');
    expect((await project.perdure('watch', 'red')).code).toBe(1);

    const report = JSON.parse((await project.perdure('build', 'report', 'red', '--json')).stdout) as BuildReport;
    expect(report).toMatchObject({
      status: 'error',
      requirements: [{ tasks: TASKS.map(({ id }) => id), done: true }],
      tasks: TASKS.map(({ name }) => ({ name, status: 'success' })),
      tests: { command: ['node', '--test'], result: 'failed', passed: 0, failed: 1 },
      others: [],
    });

    const told: string[] = [];
    project.speak({
      'of a team that builds': (request): Answer => {
        told.push(request.messages[0]?.text ?? '');
        if (request.results.count > 0) return { text: 'Done.' };
        return taskOf(request) === 'Make the tests pass' ? mendCounter() : { text: 'Nothing to do.' };
      },
    });
    const fix = await project.perdure('build', 'fix', 'red', 'Look again.', '--id', 'fix', '--yes', '--json');
    expect(fix.code, fix.stderr).toBe(0);
    expect((JSON.parse(fix.stdout) as RunResult).output).toMatchObject({ tests: { ok: true, passed: 1, failed: 0 } });
    expect(told[0]).toContain('Count: done.'); // of what was built before
    expect(told[0]).toContain('1 of 1 tests failed.');
  });

  it('before anything was approved has nothing that could be mended', async () => {
    await build('refused', {});
    const { gate } = await nextGate(project, 'refused');
    const edited = join(project.folder, 'edited.json');
    writeFileSync(edited, JSON.stringify({ tasks: TASKS.map((task) => ({ ...task, agent_name: 'nobody' })) }));
    expect(await project.perdure('approve', gate, '--edit', edited)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is for `nobody`, who is no agent of the spec') as string,
    });
    // What was refused has decided nothing.
    await project.perdure('reject', gate);
    expect((await project.perdure('watch', 'refused')).code).toBe(1);
    const { code, stderr } = await project.perdure('build', 'fix', 'refused', 'Look again.', '--yes');
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ended before its tasks were approved') as string,
    });
    expect((await project.perdure('build', 'report', 'refused')).stdout).toContain('No tasks were approved.');
  });
});
