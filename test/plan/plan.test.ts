import { describe, expect, it } from 'vitest';
import { everyStepOf, joinPath, nestedPlan, segmentOf } from '../../src/plan/plan.js';
import { isPlayed, onlyProgram, playersOf } from '../../src/plan/players.js';
import type { ProgramChoice, ProgramSettings } from '../../src/plan/agents/program.js';
import type { AgentStep, Step } from '../../src/plan/step.js';
import { everyStep, isBlockStep, isDeviceStep, modelKeyOf } from '../../src/plan/step.js';
import type { Hash } from '../../src/plan/values/value.js';
import { WORKER, agent, agentStep } from '../workflows/helpers/conversing.js';
import { foreach, loop, many, reference, single, whole } from './helpers/build-blocks.js';
import { body, commandStep, plan, stepBase } from './helpers/build-plan.js';

const call = (index: number, key: Hash): Step => ({
  ...stepBase(index),
  kind: 'workflow',
  workflow: 'w',
  plan: key,
  inputs: {},
});
const as = (key: Hash): AgentStep => agentStep(0, { agent: key });

describe('the steps of a Plan', () => {
  const inner = commandStep(0, ['inner'], { id: 'inner' });
  const round = loop(0, reference('input:a'), single(inner), { id: 'round' });
  const list = foreach(1, whole('input:a'), many([round, commandStep(1, ['x'], { id: 'beside' })]), { id: 'list' });

  it('are its own, those in bodies after what they are in, and those that it nests', () => {
    const steps = [commandStep(0, ['first'], { id: 'first' }), list];
    expect([...everyStep({ steps })].map(({ id }) => id)).toEqual(['first', 'list', 'round', 'inner', 'beside']);
    const nested = { 'sha256:n': body([commandStep(0, ['n'], { id: 'nested' })]) };
    expect([...everyStepOf(plan([inner], { nested }))].map(({ id }) => id)).toEqual(['inner', 'nested']);
    expect([list, round, inner].map(isBlockStep)).toEqual([true, true, false]);
    expect(isDeviceStep(inner)).toBe(false);
    for (const kind of ['flash', 'serial']) expect(isDeviceStep({ ...inner, kind } as unknown as Step)).toBe(true);
  });

  it('have paths of their ids, else of their places', () => {
    expect([segmentOf(inner), segmentOf(commandStep(3, ['x']))]).toEqual(['inner', '3']);
    expect([joinPath('', 'a'), joinPath('a/b', 'c')]).toEqual(['a', 'a/b/c']);
  });
});

describe('the Plan of a nested run', () => {
  const agents = {
    'sha256:a': agent({ name: 'a', toolsets: ['b'], uses: [] }),
    'sha256:b': agent({ name: 'b', uses: [{ kind: 'agent', name: 'c', description: null, agent: 'sha256:c' }] }),
    'sha256:c': agent({ name: 'c', uses: [] }),
    'sha256:d': agent({ name: 'd', uses: [] }),
  } as const;
  const nested = {
    'sha256:one': body([as('sha256:a'), call(1, 'sha256:two'), call(2, 'sha256:two')]),
    'sha256:two': body([foreach(0, whole('input:a'), single(as('sha256:c'))), call(1, 'sha256:two')]),
    'sha256:three': body([as('sha256:d')]),
  } as const;
  const around = plan([call(0, 'sha256:one')], { agents, nested });

  it('has what it reaches, through tools, sets of tools and other workflows, and nothing else', () => {
    const one = nestedPlan(around, 'sha256:one');
    expect(Object.keys(one.agents).sort()).toEqual(['sha256:a', 'sha256:b', 'sha256:c']);
    expect(Object.keys(one.nested)).toEqual(['sha256:two']);
    expect(one).toMatchObject({ hash: 'sha256:one', planVersion: 1, steps: nested['sha256:one'].steps });
    const three = nestedPlan(around, 'sha256:three');
    expect([Object.keys(three.agents), Object.keys(three.nested)]).toEqual([['sha256:d'], []]);
    expect(Object.keys(nestedPlan(around, 'sha256:two').nested)).toEqual(['sha256:two']);
  });

  it('is none where something of it is not there', () => {
    expect(() => nestedPlan(around, 'sha256:gone')).toThrow('The plan has no nested workflow sha256:gone');
    const torn = plan([], { agents: {}, nested: { 'sha256:one': body([as('sha256:a')]) } });
    expect(() => nestedPlan(torn, 'sha256:one')).toThrow('The plan does not contain sha256:a');
    const half = plan([], { agents, nested: { 'sha256:one': body([call(0, 'sha256:two')]) } });
    expect(() => nestedPlan(half, 'sha256:one')).toThrow('The plan does not contain sha256:two');
  });
});

describe('who plays the agents of a run', () => {
  const choice = (program: ProgramChoice['program']): ProgramChoice => ({
    program,
    model: null,
    price: { input: 1, output: 1, cache_read: null, cache_write_5m: null, cache_write_1h: null },
    max_tokens: 1,
  });
  const choices = { claude: choice('claude'), codex: choice('codex') };
  const inList = agentStep(0);
  const nestedStep = agentStep(0, { model: 'anthropic:sonnet' });
  const own = agentStep(1);
  const steps = [foreach(0, whole('input:a'), single(inList)), own, commandStep(2, ['x'])];
  const nested = { 'sha256:n': body([nestedStep]) };
  const agents = { [WORKER]: agent({ uses: [] }) };
  const settings: ProgramSettings = { choices, usual: 'claude', steps: { '/0.0': 'codex' } };

  it('are the programs that are chosen by the place of each step, and a provider for the others', () => {
    const mixed = plan(steps, { agents, nested });
    expect([...playersOf(mixed, settings)].sort()).toEqual(['claude', 'codex', null]);
    expect([inList, own, nestedStep].map(isPlayed(mixed, settings))).toEqual([true, true, false]);
    expect(onlyProgram(mixed, settings)).toBeNull();
    expect([...playersOf(mixed, undefined)]).toEqual([null]);
    expect(onlyProgram(mixed, undefined)).toBeNull();
  });

  it('is one program where no other plays', () => {
    const one = plan(steps, { agents });
    expect(onlyProgram(one, { choices, usual: 'codex' })).toBe('codex');
    expect(onlyProgram(plan([commandStep(0, ['x'])]), settings)).toBeNull();
    const nestedToo = plan([], { agents, nested: { 'sha256:n': body([agentStep(0)]) } });
    expect(onlyProgram(nestedToo, { choices, steps: { 'sha256:n/0': 'codex' } })).toBe('codex');
  });
});

it.each<[string | null, Parameters<typeof modelKeyOf>[1], string]>([
  [null, undefined, ''],
  [null, { model: null }, ''],
  [null, { model: 'opus' }, 'opus'],
  ['haiku', { model: 'opus' }, 'haiku'],
  [null, { model: 'opus', base_url: 'http://a' }, 'opus http://a'],
  [null, { model: null, base_url: 'http://a' }, ' http://a'],
  ['haiku', { model: 'opus', base_url: 'http://a' }, 'haiku'],
])('names the model of a step that says %j, of an agent %j, %j', (model, of, key) => {
  expect(modelKeyOf({ model }, of)).toBe(key);
});
