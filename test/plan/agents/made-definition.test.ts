import { describe, expect, it } from 'vitest';
import type { MakingPlace } from '../../../src/plan/agents/made-definition.js';
import { isAmong, powersOfMakers } from '../../../src/plan/agents/made-definition.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { Agent, Block, PlanStep, Step } from '../../../src/plan/step.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import type { Template } from '../../../src/plan/values/expression.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { FILES, PERMISSIONS, WORKER, agent, agentStep } from '../../workflows/helpers/conversing.js';
import { foreach, many, set, single, textOf, whole } from '../helpers/build-blocks.js';
import { commandStep, stepBase } from '../helpers/build-plan.js';

const OTHER: Hash = `sha256:${'b'.repeat(64)}`;
const READ: Tool = { kind: 'builtin', name: 'read_file' };

function running(source: Template): PlanStep {
  return {
    ...stepBase(9),
    kind: 'plan',
    inputs: {},
    kinds: ['agent'],
    budgets: NO_BUDGETS,
    message: null,
    fallback: 'abort',
    source,
  };
}
const inRoot = (steps: Step[], groups: Block['groups'] = {}): MakingPlace => ({
  block: { steps, groups, output: null },
  isNested: false,
});

describe('what agents hand on that made a workflow', () => {
  const {
    uses: _uses,
    permissions: _permissions,
    ...program
  } = agent({
    program: 'claude',
    tools: ['read_file', 'Read', 'Bash(git *)', 'deploy', 'toString'],
  });
  const both: Template = { kind: 'list', items: [whole('step:0.output'), whole('step:1.output')] };
  const powers = (...agents: Agent[]) =>
    powersOfMakers(inRoot([agentStep(0), agentStep(1, { agent: OTHER })]), running(both), {
      [WORKER]: agents[0] ?? program,
      [OTHER]: agents[1] ?? program,
    });

  it('is what a program that is one of them names of our tools, by our names', () => {
    expect(powers()).toEqual({ tools: [READ], within: [] });
  });

  it('is what all of them have, within what each may do', () => {
    expect(powers(program, agent({ uses: FILES }))).toEqual({ tools: [READ], within: [PERMISSIONS] });
    expect(powers(agent({ uses: FILES }), program)).toEqual({ tools: [READ], within: [PERMISSIONS] });
    expect(powers(agent({ uses: [] }), program)).toEqual({ tools: [], within: [PERMISSIONS] });
  });

  it('is no tool where one has none: its names mean nothing', () => {
    const { uses: _none, ...bare } = agent({ tools: ['read_file'] });
    expect(powers(bare, program)).toEqual({ tools: [], within: [PERMISSIONS] });
  });
});

describe('who made a workflow', () => {
  const nested: Step = { ...stepBase(0), kind: 'workflow', workflow: 'w', plan: 'sha256:x', inputs: {} };
  const gate: Step = {
    ...stepBase(1),
    kind: 'approval',
    message: { kind: 'literal', value: 'Go?' },
    content: whole('step:0.output'),
    fallback: 'abort',
  };
  const cat: Step = { ...commandStep(1, ['cat']), stdin: whole('step:0.output') };
  const date = commandStep(0, ['date']);
  const agents = { [WORKER]: agent({ uses: [READ] }) };
  const maker = { tools: [READ], within: [PERMISSIONS] };
  const nobody = { tools: null };
  const anybody = { tools: [], within: [] };
  const twelve = [...Array.from({ length: 12 }, (_, index) => commandStep(index, ['true'])), agentStep(12)];

  it.each<[string, Template, Step[], object]>([
    ['an agent that said it', whole('step:0.output'), [agentStep(0)], maker],
    ['an agent, through a gate', whole('step:1.output'), [agentStep(0), gate], maker],
    ['an agent, through a command', whole('step:1.output'), [agentStep(0), cat], maker],
    ['an agent, through a value', whole('step:1.output'), [agentStep(0), set(1, { x: whole('step:0.output') })], maker],
    ['an agent that said a part of it', textOf('steps:\n', { root: 'step:0.output' }), [agentStep(0)], maker],
    ['an agent in a body', whole('step:0.output'), [foreach(0, whole('input:a'), single(agentStep(0)))], maker],
    [
      'an agent, through what a body refers to around it',
      whole('step:1.output'),
      [agentStep(0), foreach(1, whole('input:a'), single(set(0, { x: whole('^step:0.output') })))],
      maker,
    ],
    [
      'the agent that said it, and not who told that',
      whole('step:1.output'),
      [agentStep(0, { agent: OTHER }), agentStep(1, { prompt: whole('step:0.output') })],
      maker,
    ],
    ['an agent in the round before', whole('last:0.output'), [agentStep(0)], maker],
    ['an agent among many steps', whole('step:12.output'), twelve, maker],
    ['the person who wrote the command', whole('step:0.output'), [date], nobody],
    ['the person who wrote the values', whole('step:0.output'), [set(0, {})], nobody],
    ['the person who gives the input', whole('input:workflow'), [agentStep(0)], nobody],
    ['the person who sent it back', whole('rework:comment'), [agentStep(0)], nobody],
    ['the person who wrote it, beside an agent', whole('step:1.output'), [agentStep(0), date, gate], nobody],
    ['nobody knows who, of a workflow that was called', whole('step:0.output'), [nested], anybody],
    [
      'nobody knows who, of a workflow that was called in a body',
      whole('step:0.output'),
      [foreach(0, whole('input:a'), many([date, nested]))],
      anybody,
    ],
    ['nobody knows who, of one that was made', whole('step:0.output'), [running(whole('input:a'))], anybody],
    ['nobody knows who, of what is from around the body', whole('^step:0.output'), [agentStep(0)], anybody],
    ['nobody knows who, of an item', whole('item'), [agentStep(0)], anybody],
    [
      'an agent and nobody knows who',
      textOf({ root: 'step:0.output' }, { root: 'item' }),
      [agentStep(0)],
      {
        tools: [],
        within: [PERMISSIONS],
      },
    ],
    ['a step that is not there', whole('step:77.output'), [agentStep(0)], nobody],
  ])('is %s', (_, source, steps, expected) => {
    expect(powersOfMakers(inRoot(steps), running(source), agents)).toEqual(expected);
  });

  it('is each member of a group', () => {
    const place = inRoot([date, agentStep(1), agentStep(2)], { looks: [1, 2], other: [0] });
    expect(powersOfMakers(place, running(whole('group:looks.outputs', 0, 'output')), agents)).toEqual(maker);
    expect(powersOfMakers(place, running(whole('group:other.outputs')), agents)).toEqual(nobody);
    expect(powersOfMakers(place, running(whole('group:toString.outputs')), agents)).toEqual(nobody);
  });

  it('may be anybody where another run gives the inputs', () => {
    const place = { ...inRoot([set(0, { x: whole('input:workflow') }), date]), isNested: true };
    for (const source of [whole('input:workflow'), whole('step:0.output')])
      expect(powersOfMakers(place, running(source), agents)).toEqual(anybody);
    expect(powersOfMakers(place, running(whole('step:1.output')), agents)).toEqual(nobody);
  });

  it('that the Plan does not know has no tools', () => {
    expect(powersOfMakers(inRoot([agentStep(0)]), running(whole('step:0.output')), {})).toEqual(anybody);
  });
});

describe('a tool is the same', () => {
  const text = { description: '', inputs: '{}' };
  const remote: Tool = { kind: 'mcp', name: 's__t', server: 's', remote: 't', connect: '{}', ...text };
  const custom: Tool = { kind: 'custom', name: 'x', definition: '{}', through: 'shell', ...text };
  const defined: Tool = { kind: 'defined', name: 'x', definition: '{}', folder: 'tools/x', effect: 'none', ...text };
  const planAgent: Tool = { kind: 'agent', name: 'x', description: null, agent: WORKER };
  const made: Tool = { kind: 'made', name: 'x', description: null, agent: OTHER };
  const maker: Tool = { kind: 'maker', name: 'agent_create' };
  const tools: Tool[] = [
    READ,
    remote,
    custom,
    defined,
    planAgent,
    maker,
    { kind: 'provider', name: 'web_search' },
    { kind: 'workflow', name: 'x', description: null, inputs: '{}', plan: WORKER },
  ];

  it('as itself, and as no other that has its name', () => {
    for (const tool of tools) {
      expect(isAmong(tool, tools)).toBe(true);
      expect(
        isAmong(
          tool,
          tools.filter((other) => other !== tool),
        ),
      ).toBe(false);
    }
    expect(isAmong(READ, [])).toBe(false);
  });

  it.each<[string, Tool, Tool, boolean]>([
    ['another folder', READ, { kind: 'builtin', name: 'read_file', root: 'docs' }, false],
    ['another server', remote, { ...remote, connect: '{"url":"x"}' }, false],
    ['another text', custom, { ...custom, definition: '{"a":1}' }, false],
    ['another agent of that name', planAgent, { ...planAgent, agent: OTHER }, true],
    ['an agent of that name that was made', planAgent, made, true],
    ['an agent of another name', planAgent, { ...planAgent, name: 'y' }, false],
    ['other bounds of what may be made', maker, { ...maker, folder: 'agents' }, true],
    ['another maker', maker, { kind: 'maker', name: 'tool_create' }, false],
  ])('with %s', (_, one, other, is) => {
    expect(isAmong(one, [other])).toBe(is);
  });
});
