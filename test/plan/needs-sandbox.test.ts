import { describe, expect, it } from 'vitest';
import { needsSandbox } from '../../src/plan/needs-sandbox.js';
import type { Agent, Step } from '../../src/plan/step.js';
import type { Permissions } from '../../src/plan/tools/permission.js';
import type { CallableTool, DefinedTool, Tool } from '../../src/plan/tools/tool.js';
import type { Template } from '../../src/plan/values/expression.js';
import { PERMISSIONS, WORKER, agent, agentStep } from '../workflows/helpers/conversing.js';
import { foreach, single, whole } from './helpers/build-blocks.js';
import { commandStep, plan, stepBase } from './helpers/build-plan.js';

const shell: CallableTool = { kind: 'builtin', name: 'shell' };
const safe: Permissions = { ...PERMISSIONS, commands: [{ words: 'ls', class: 'safe' }] };
const reading: Permissions = {
  ...PERMISSIONS,
  commands: [
    { words: 'ls', class: 'safe' },
    { words: 'rm', class: 'denied' },
  ],
};
const defined: DefinedTool = {
  kind: 'defined',
  name: 'lint',
  description: '',
  inputs: '{}',
  definition: '{}',
  folder: 'tools/lint',
  effect: 'workspace',
};
const real = { rehearsal: false };
const ofAgent = (fields: Partial<Agent>, how: Parameters<typeof needsSandbox>[1] = real): boolean =>
  needsSandbox(plan([agentStep(0)], { agents: { [WORKER]: agent(fields) } }), how);
const step = (argv: Template | null, permissions: Permissions, tool: CallableTool = shell): Step => ({
  ...stepBase(0),
  kind: 'tool',
  tool,
  permissions,
  inputs: argv === null ? {} : { argv },
  schema: null,
});
const ofStep = (one: Step, how = real): boolean => needsSandbox(plan([one]), how);
const words = (...value: (string | number)[]): Template => ({ kind: 'literal', value });

describe('a sandbox is needed', () => {
  it.each<[string, Partial<Agent>, boolean]>([
    ['may run what changes files', { uses: [shell] }, true],
    ['may only read', { uses: [shell], permissions: safe }, false],
    ['may only read, and is denied the rest', { uses: [shell], permissions: reading }, false],
    ['may run nothing', { uses: [shell], permissions: { ...safe, commands: [] } }, false],
    ['builds', { uses: [{ kind: 'builtin', name: 'build_project' }] }, true],
    ['has no tool that runs', { uses: [{ kind: 'builtin', name: 'write_file' }] }, false],
    ['has none', { uses: [] }, false],
    ['has a tool of the project', { uses: [defined], permissions: safe }, false],
    ['has a tool that a client made', { uses: [{ ...defined, made: true }], permissions: safe }, true],
    ['has hooks', { uses: [], hooks: [] }, true],
    ['is called by a program', { uses: [shell], program: 'claude' }, false],
    [
      'asks another agent',
      { uses: [{ kind: 'agent', name: 'x', description: null, agent: 'sha256:x' } satisfies Tool] },
      false,
    ],
  ])('for an agent that %s: %s', (_, fields, needed) => {
    expect(ofAgent(fields)).toBe(needed);
    expect(ofAgent(fields, { rehearsal: true })).toBe(false);
    expect(ofAgent(fields, { rehearsal: false, programs: { choices: {}, usual: 'claude' } })).toBe(false);
    expect(ofAgent(fields, { rehearsal: false, programs: { choices: {} } })).toBe(needed);
  });

  const { uses: _uses, permissions: _permissions, ...answering } = agent();
  it('for no agent that answers alone', () => {
    expect(needsSandbox(plan([agentStep(0)], { agents: { [WORKER]: answering } }), real)).toBe(false);
  });

  it.each<[string, Step, boolean]>([
    ['runs what changes files', step(words('sh', 'x'), PERMISSIONS), true],
    ['reads', step(words('ls', 'src'), safe), false],
    ['reads elsewhere', step(words('ls', '/etc'), safe), true],
    ['runs what is denied', step(words('rm', 'x'), reading), false],
    ['runs what is asked about', step(words('ls'), { ...safe, ask: ['command:ls'] }), true],
    ['reads, word by word', step({ kind: 'list', items: [words('ls'), words('a')].map(first) }, safe), false],
    [
      'runs words that come later',
      step({ kind: 'list', items: [first(words('ls')), whole('input:a')] }, reading),
      false,
    ],
    ['runs what comes later', step(whole('input:argv'), PERMISSIONS), true],
    ['runs what comes later and only reads', step(whole('input:argv'), safe), false],
    ['is called with what are no words', step(words('ls', 5), PERMISSIONS), true],
    ['is called with nothing', step(null, PERMISSIONS), true],
    ['calls a tool of the project', step(null, PERMISSIONS, defined), false],
    ['calls a tool that a client made', step(null, safe, { ...defined, made: true }), true],
    ['writes a file', step(null, PERMISSIONS, { kind: 'builtin', name: 'write_file' }), false],
    ['is a command of its author', commandStep(0, ['sh']), false],
  ])('for a step that %s: %s', (_, one, needed) => {
    expect(ofStep(one)).toBe(needed);
    expect(ofStep(one, { rehearsal: true })).toBe(needed);
    expect(ofStep(foreach(0, whole('input:a'), single(one)))).toBe(needed);
  });
});

/** The first word alone. */
function first(template: Template): Template {
  return template.kind === 'literal' && Array.isArray(template.value)
    ? { kind: 'literal', value: template.value[0] ?? null }
    : template;
}
