import { describe, expect, it } from 'vitest';
import { dependsOnWorkspace, folderOf, isWithin, mayChangeWorkspace, reuseFor } from '../../../src/plan/calls/reuse.js';
import type { Agent, Step } from '../../../src/plan/step.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import type { CallableTool } from '../../../src/plan/tools/tool.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { FILES, PERMISSIONS, WORKER, agent, agentStep } from '../../workflows/helpers/conversing.js';
import { foreach, set, single, whole } from '../helpers/build-blocks.js';
import { commandStep, plan, stepBase } from '../helpers/build-plan.js';

const settings = { run: 'r', from: 'j', changed: false, fresh: [], done: [] };
const { uses: _uses, ...bare } = agent();
const agents = (one: Agent): Record<Hash, Agent> => ({ [WORKER]: one });
const named = { ...commandStep(0, ['cc']), reads: ['a.c'], writes: ['a.o'] };
const pure = commandStep(0, ['date'], { effect: 'none' });
const external = commandStep(0, ['deploy'], { effect: 'external' });
const tool = (of: CallableTool, effect: Step['effect'] = 'workspace'): Step => ({
  ...stepBase(0, { effect }),
  kind: 'tool',
  tool: of,
  permissions: PERMISSIONS,
  inputs: {},
  schema: null,
});
const builtin = (name: Extract<CallableTool, { kind: 'builtin' }>['name'], effect?: Step['effect']): Step =>
  tool({ kind: 'builtin', name }, effect);
const defined = (effect: 'none' | 'workspace', name = 'lint'): Step =>
  tool(
    { kind: 'defined', name, description: '', inputs: '{}', definition: '{}', folder: 'tools/lint', effect },
    effect,
  );
const remote = tool({
  kind: 'mcp',
  name: 's__t',
  server: 's',
  remote: 't',
  description: '',
  inputs: '{}',
  connect: '{}',
});

describe('a Plan', () => {
  it.each<[string, Step, Agent, boolean, boolean]>([
    ['a command that names no files', commandStep(0, ['make']), bare, true, true],
    ['a command that names what it reads and writes', named, bare, false, true],
    ['a command without an effect', pure, bare, false, false],
    ['values', set(0, {}), bare, false, false],
    ['an agent without tools', agentStep(0), bare, false, false],
    ['an agent with tools', agentStep(0), agent({ uses: FILES }), true, true],
    ['an agent with an empty list of them', agentStep(0), agent({ uses: [] }), false, false],
    ['an agent that a program plays', agentStep(0), { ...bare, program: 'claude' }, true, true],
    ['an agent that nobody knows', agentStep(0, { agent: 'sha256:gone' }), bare, false, false],
    ['a tool that reads files', builtin('read_file', 'none'), bare, true, true],
    ['a request', builtin('http_request'), bare, false, false],
    ['a search of the web', builtin('web_search'), bare, false, false],
    ['a tool of the project that changes files', defined('workspace'), bare, true, true],
    ['a tool of the project that changes nothing', defined('none'), bare, false, false],
    ['a tool of a server', remote, bare, false, false],
    [
      'workflows that are made in the run',
      {
        ...stepBase(0),
        kind: 'plan',
        source: whole('input:a'),
        inputs: {},
        kinds: [],
        budgets: { max_steps: null, max_parallel: null, max_runtime_mins: null, max_cost_usd: null, max_tokens: null },
        message: null,
        fallback: 'abort',
      },
      bare,
      true,
      true,
    ],
  ])('of %s depends on the workspace: %4$s, and may change it: %5$s', (...[, step, one, depends, changes]) => {
    for (const steps of [[step], [foreach(0, whole('input:a'), single(step))]]) {
      expect(dependsOnWorkspace(plan(steps, { agents: agents(one) }))).toBe(depends);
      expect(mayChangeWorkspace(plan(steps, { agents: agents(one) }))).toBe(changes);
    }
  });
});

describe('what a rerun takes over', () => {
  const reuse = (more: object, step: Step, others: { path?: string; byProgram?: boolean; agent?: Agent } = {}) =>
    reuseFor(
      { ...settings, ...more },
      {
        step,
        path: others.path ?? 'build/0',
        agents: agents(others.agent ?? bare),
        ...(others.byProgram === undefined ? {} : { byProgram: others.byProgram }),
      },
    );

  it('is taken from the run that is run again', () => {
    expect(reuse({}, named)).toEqual({ run: 'r', from: 'j', changes: true });
    expect(reuse({}, pure)).toEqual({ run: 'r', from: 'j' });
  });

  it('is looked for in earlier runs as well, but not where files have changed since', () => {
    const earlier = [
      { from: 'j2', changed: false },
      { from: 'j3', changed: true },
    ];
    expect(reuse({ earlier }, named)).toMatchObject({ from: 'j', earlier: ['j2', 'j3'] });
    expect(reuse({ earlier }, commandStep(0, ['make']))).toMatchObject({ from: 'j', earlier: ['j2'] });
    const unchanged = reuse({ earlier, changed: true }, commandStep(0, ['make']));
    expect(unchanged).toEqual({ run: 'r', from: 'j2', looks: true, changes: true });
    expect(reuse({ earlier: [earlier[1]], changed: true }, commandStep(0, ['make']))).toEqual({
      run: 'r',
      from: 'j',
      never: true,
      changes: true,
    });
  });

  it('is nothing of what is asked for anew, nor of what is below it', () => {
    const fresh = { fresh: ['build'], earlier: [{ from: 'j2', changed: false }] };
    expect(reuse(fresh, named)).toEqual({ run: 'r', from: 'j', never: true, changes: true });
    expect(reuse(fresh, named, { path: 'build' })).toMatchObject({ never: true });
    expect(reuse(fresh, named, { path: 'builder' })).not.toHaveProperty('never');
  });

  it('is nothing of what was done before in the run, but for an external effect', () => {
    const placed = { path: 'x', agents: {}, again: true };
    expect(reuseFor(settings, { ...placed, step: pure })).toEqual({ run: 'r', from: 'j', never: true });
    expect(reuseFor({ ...settings, done: ['x'] }, { ...placed, step: external })).toMatchObject({ done: true });
    expect(reuseFor({ ...settings, done: ['x'] }, { ...placed, step: external })).not.toHaveProperty('never');
  });

  it('is an external effect that has happened, whatever files have changed', () => {
    const done = { done: ['build/0'], changed: true };
    expect(reuse(done, external)).toEqual({ run: 'r', from: 'j', changes: true, done: true });
    expect(reuse({ ...done, in_tree: true }, external)).toEqual({ run: 'r', from: 'j', changes: true, done: true });
    expect(reuse(done, external, { path: 'other' })).toEqual({ run: 'r', from: 'j', never: true, changes: true });
    expect(reuse({ ...done, done: null }, external)).not.toHaveProperty('done');
    expect(reuse(done, commandStep(0, ['make']))).not.toHaveProperty('done');
  });

  it.each<[string, Step, Agent | undefined, true | undefined]>([
    ['clears up at the end', { ...named, always: true }, undefined, true],
    ['clears up outside', { ...external, always: true }, undefined, undefined],
    ['runs at the end and changes nothing', { ...pure, always: true }, undefined, undefined],
    ['is an agent at the end with tools', agentStep(0, { always: true }), agent({ uses: FILES }), true],
    ['is an agent at the end that only answers', agentStep(0, { always: true }), undefined, undefined],
    ['keeps context in a file', builtin('keep_context'), undefined, true],
    ['compares files as they are now', builtin('compare_workspace'), undefined, true],
    ['tests changes', builtin('test_changes'), undefined, true],
    ['reads a file', builtin('read_file', 'none'), undefined, undefined],
    ['is called like those', defined('none', 'keep_context'), undefined, undefined],
    ['asks a server', remote, undefined, undefined],
  ])('is nothing where a step %s: %4$s', (_, step, one, never) => {
    expect(reuse({}, step, one === undefined ? {} : { agent: one }).never).toBe(never);
  });

  it.each<[string, Step, Agent | undefined, boolean, boolean]>([
    ['a command that names no files', commandStep(0, ['make']), undefined, true, true],
    ['a command that names what it reads and writes', named, undefined, false, true],
    ['a command without an effect', pure, undefined, false, false],
    ['an agent without tools', agentStep(0), undefined, false, false],
    ['an agent with tools', agentStep(0), agent({ uses: FILES }), true, true],
    ['a tool that reads a file', builtin('read_file', 'none'), undefined, true, false],
    ['a tool that writes a file', builtin('write_file'), undefined, true, true],
    ['a request', builtin('http_request', 'external'), undefined, false, false],
    ['a tool of a server', remote, undefined, false, true],
    ['what keeps context in a file, and always runs', builtin('keep_context'), undefined, false, false],
  ])('by %s depends on what steps before change: %4$s, and it changes files: %5$s', (...row) => {
    const [, step, one, looks, changes] = row;
    const { looks: looking = false, changes: changing = false } = reuse({}, step, one && { agent: one });
    expect({ looks: looking, changes: changing }).toEqual({ looks, changes });
  });

  it('is nothing of a program where files have changed, or are not there: it reads what it likes', () => {
    expect(reuse({ changed: true }, agentStep(0), { byProgram: true }).never).toBe(true);
    expect(reuse({ changed: true }, agentStep(0)).never).toBeUndefined();
    expect(reuse({ in_tree: true }, agentStep(0), { byProgram: true }).never).toBe(true);
    expect(reuse({ in_tree: true }, agentStep(0, { effect: 'none' }), { byProgram: true }).never).toBeUndefined();
    expect(reuse({ in_tree: false }, agentStep(0), { byProgram: true }).never).toBeUndefined();
  });
});

it.each([
  ['a', ['a'], true],
  ['a/b/c', ['x', 'a/b'], true],
  ['ab', ['a'], false],
  ['a', ['a/b'], false],
  ['a', [], false],
])('%j is within %j: %s', (path, paths, is) => {
  expect(isWithin(path, paths)).toBe(is);
});

it('starts a command where it was submitted from, but never outside of its work tree', () => {
  const places = { caller: '/home/ana', workspace: '/project' } as RunSettings; // only these are looked at
  const from = { ...named, from: 'caller' as const };
  expect(folderOf(named, places)).toBe('/project');
  expect(folderOf(from, places)).toBe('/home/ana');
  expect(folderOf(from, { ...places, worktree: { project: '/p', carry: [] } })).toBe('/project');
});
