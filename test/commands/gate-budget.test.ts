// @seconds 10
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const step = 'command: [echo, done]';
const OUTER = `name: outer
budgets: {max_steps: 40}
steps:
  - {id: each, foreach: [1, 2, 3, 4, 5, 6], ${step}}
  - {id: deep, workflow: asks}
`;
const ASKS = `name: asks
steps:
  - {${step}}
  - {id: ok, approval: "Go on?"}
  - {${step}}
`;

let project: Project;
beforeAll(async () => {
  project = await openProject({
    'definitions/workflows/outer.yml': OUTER,
    'definitions/workflows/asks.yml': ASKS,
    'definitions/workflows/few.yml': ASKS.replace('asks', 'few').replace('steps:', 'budgets: {max_steps: 3}\nsteps:'),
    'definitions/workflows/above.yml': OUTER.replace('outer', 'above').replace('asks', 'few'),
  });
});
afterAll(() => project.close());

async function left(run: string): Promise<{ ofRun: number | null; atGate: number; ofNested: number | null }> {
  const { stdout } = await project.run('show', run);
  const remaining = async (id: string): Promise<number | null> =>
    (JSON.parse((await project.run('show', id, '--json')).stdout) as { budget: { steps_remaining: number | null } })
      .budget.steps_remaining;
  const [, atGate] = /Budget that stays: (\d+) steps?/.exec(stdout) ?? [];
  return { ofRun: await remaining(run), atGate: Number(atGate), ofNested: await remaining(`${run}/deep`) };
}

it('a gate of a nested run tells what the whole tree has left, with what was added', async () => {
  await project.run('run', 'outer', '--id', 'whole', '--no-wait');
  const before = await left('whole');
  expect(before.ofRun).toBeLessThan(35);
  expect(before).toMatchObject({ atGate: before.ofRun, ofNested: null });
  expect(await project.run('budget', 'whole', '--add-steps', '100')).toMatchObject({ code: 0 });
  const after = await left('whole');
  expect(after.ofRun).toBe((before.ofRun ?? 0) + 100);
  expect(after.atGate).toBe(after.ofRun);
});

it('a gate of a nested run with a limit of its own tells what that leaves', async () => {
  await project.run('run', 'above', '--id', 'own', '--no-wait');
  const { ofRun, atGate, ofNested } = await left('own');
  expect(ofNested).toBeLessThan(3);
  expect(atGate).toBe(ofNested);
  expect(ofRun).toBeGreaterThan(atGate);
});
