// @module-tag git
// @seconds 20
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import { TASKS } from './planned-tasks.js';
import type { ShippedProject } from './shipped-project.js';
import { openShippedProject } from './shipped-project.js';

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
});
afterAll(async () => {
  await project.close();
});

const PLANNED =
  '  - {id: plan, agent: Plan, prompt: Plan., tasks: [expert-code-implementer, ' +
  '{agent: general-purpose, role: tester}, {agent: code-reviewer, role: reviewer}]}\n' +
  '  - {id: work, plan: "${steps.plan.output}", message: Are these the tasks?}\n';

it.each([
  ['a list', 'listed', `  - foreach: {items: [1]}\n    steps:\n${PLANNED.replace(/^/gm, '    ')}`],
  ['a nested workflow', 'around', '  - {id: inner, workflow: plan-and-do, inputs: {wish: Add.}}\n'],
])('who does what and what each task has cost is known where they are planned in %s', async (_what, name, steps) => {
  writeFileSync(join(project.folder, 'definitions', 'workflows', `${name}.yml`), `name: ${name}\nsteps:\n${steps}`);
  const { code, result } = await project.run(name, ['--no-wait'], {
    'You plan work': () => ({ text: JSON.stringify({ tasks: TASKS, plan_explanation: 'In order.' }) }),
    'You implement': () => ({ text: 'Done.' }),
    'You do the task': () => ({ text: 'It passes.' }),
    'You review code': () => ({ text: 'Well done.' }),
  });
  expect([code, result.status]).toEqual([4, 'waiting']);
  const { stdout } = await project.perdure('show', result.run);
  expect(stdout).toMatch(/agent {6}general-purpose \(tester\)/);
  const gate = /perdure approve (\S+)/.exec(stdout)?.[1] ?? '';
  expect((await project.perdure('approve', gate)).code).toBe(0);
  await project.perdure('watch', result.run);
  const { costs } = JSON.parse((await project.perdure('show', result.run, '--json')).stdout) as RunResult;
  expect(Object.keys(costs?.tasks ?? {}).sort()).toEqual(['add', 'begin', 'look', 'plan', 'test']);
  const asked = ['Plan', 'code-reviewer', 'expert-code-implementer', 'general-purpose'];
  expect(Object.keys(costs?.roles ?? {}).sort()).toEqual(asked);
});
