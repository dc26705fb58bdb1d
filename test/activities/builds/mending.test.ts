import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Budgets } from '../../../src/plan/budget/budgets.js';
import type { Json, JsonObject } from '../../../src/plan/values/json.js';
import { isObject } from '../../../src/plan/values/json.js';
import { PROMPTS_VERSION } from '../../../src/activities/builds/prompts.js';
import { madeOfTasks } from '../../../src/activities/builds/task-workflow.js';
import { expectRecorded } from '../../compiler/helpers/recorded-text.js';

const SPEC: JsonObject = {
  nugget: { goal: 'A lamp that counts clicks.', type: 'hardware' },
  workflow: { max_rounds: 2, test_command: ['npm', 'test'], page: 'src/index.html' },
  agents: [
    { name: 'Bea', role: 'builder' },
    { name: 'Tom', role: 'tester' },
    { name: 'Rita', role: 'reviewer' },
  ],
  rules: [{ name: 'first', trigger: 'on_test_fail', prompt: 'Mend the code first.' }],
  deployment: { target: 'both' },
  devices: [
    { name: 'lamp', instanceId: 'lamp', sources: ['lamp/lamp.ino'] },
    { name: 'bell', instanceId: 'bell', compile: ['make', 'bell.bin'], image: 'bell.bin' },
  ],
};
const task = (id: string, agent_name: string, dependencies: string[]): JsonObject => ({
  id,
  name: `The work of ${id}`,
  description: 'Do it.',
  acceptance_criteria: ['It is done.'],
  dependencies,
  agent_name,
  complexity: 'simple',
});
const PLANNED: JsonObject = {
  tasks: [task('task-1', 'Bea', []), task('task-2', 'Tom', ['task-1']), task('task-3', 'Rita', ['task-1', 'task-2'])],
  test_command: ['npm', 'test'],
  page: 'src/index.html',
};
const NO_LIMITS: Budgets = {
  max_runtime_mins: null,
  max_tokens: null,
  max_cost_usd: null,
  max_parallel: null,
  max_steps: null,
};

/** Every step in which an agent mends something, by the step around it. */
function mendingIn(value: Json, around = ''): { around: string; step: JsonObject }[] {
  if (Array.isArray(value)) return value.flatMap((item) => mendingIn(item, around));
  if (!isObject(value)) return [];
  const { id } = value;
  if (id === 'mend') return [{ around, step: value }];
  return Object.values(value).flatMap((inner) => mendingIn(inner, typeof id === 'string' ? id : around));
}

describe('the prompts by which a build is mended', () => {
  const made = madeOfTasks(PLANNED, SPEC, NO_LIMITS);
  const mending = 'problems' in made ? [] : mendingIn(JSON.parse(made.text) as Json);

  it('are those of their version, for all that may be mended', () => {
    expect(mending.map(({ around }) => around)).toEqual([
      'task-3',
      'tests',
      'start',
      'deploy_page',
      'deploy_1_compile',
      'deploy_2_compile',
    ]);
    const shown = mending.map(
      ({ around, step }) => `=== ${around}: ${String(step['commit'])} ===\n\n${String(step['prompt'])}\n`,
    );
    expectRecorded(join(import.meta.dirname, 'prompts', String(PROMPTS_VERSION), 'mending.txt'), shown.join('\n'));
  });

  it('say what was found, what was changed before, and what happened before', () => {
    for (const { step } of mending) {
      expect(step['prompt']).toMatch(/\$\{steps\.(?:judged|mended|run|tested|compiled|built)\.[^}]*\}/);
      expect(step['prompt']).toContain('<changes>');
      expect(step['prompt']).toContain('WHAT HAPPENED BEFORE YOU');
    }
  });
});
