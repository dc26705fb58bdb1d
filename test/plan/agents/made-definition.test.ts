import { describe, expect, it } from 'vitest';
import { powersOfMakers } from '../../../src/plan/agents/made-definition.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { Agent, PlanStep } from '../../../src/plan/step.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { FILES, PERMISSIONS, WORKER, agent, agentStep } from '../../workflows/helpers/conversing.js';
import { body, stepBase } from '../helpers/build-plan.js';

const OTHER: Hash = `sha256:${'b'.repeat(64)}`;
const READ: Tool = { kind: 'builtin', name: 'read_file' };

/** A step that runs what both steps before it come to. */
const running: PlanStep = {
  ...stepBase(2),
  kind: 'plan',
  inputs: {},
  kinds: ['agent'],
  budgets: NO_BUDGETS,
  message: null,
  fallback: 'abort',
  source: {
    kind: 'list',
    items: ['step:0.output', 'step:1.output'].map((root) => ({
      kind: 'expression',
      expression: { kind: 'reference', root, path: [], source: root },
    })),
  },
};

describe('what agents hand on that made a workflow', () => {
  const {
    uses: _uses,
    permissions: _permissions,
    ...program
  }: Agent = agent({ program: 'claude', tools: ['read_file', 'Read', 'Bash(git *)', 'deploy', 'toString'] });
  const powers = (...agents: Agent[]) =>
    powersOfMakers(body([agentStep(0), agentStep(1, { agent: OTHER }), running]), running, {
      [WORKER]: agents[0] ?? program,
      [OTHER]: agents[1] ?? program,
    });

  it('is what a program that is one of them names of our tools, by our names', () => {
    expect(powers()).toEqual({ tools: [READ], within: [] });
  });

  it('is what all of them have, within what each may do', () => {
    expect(powers(program, agent({ uses: FILES }))).toEqual({ tools: [READ], within: [PERMISSIONS] });
    expect(powers(agent({ uses: [] }), program)).toEqual({ tools: [], within: [PERMISSIONS] });
  });

  it('is no tool where one has none: its names mean nothing', () => {
    const { uses: _none, ...bare } = agent({ tools: ['read_file'] });
    expect(powers(bare, program)).toEqual({ tools: [], within: [PERMISSIONS] });
  });
});
