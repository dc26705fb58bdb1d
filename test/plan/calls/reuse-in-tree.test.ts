import { expect, it } from 'vitest';
import { reuseFor } from '../../../src/plan/calls/reuse.js';
import type { Step } from '../../../src/plan/step.js';

const settings = { run: 'r', from: 'j', changed: false, fresh: [], done: [] };
// only what `reuseFor` looks at
const step = (over: object): Step =>
  ({ kind: 'command', effect: 'workspace', always: false, reads: [], ...over }) as unknown as Step;

it.each([
  ['names nothing', {}, true],
  ['names what it reads alone', { reads: ['a'] }, true],
  ['names what it writes alone', { writes: ['b'] }, true],
  ['names what it reads and writes', { reads: ['a'], writes: ['b'] }, undefined],
  ['names what it reads, and has an external effect', { reads: ['a'], effect: 'external' }, undefined],
  ['has no effect', { effect: 'none' }, undefined],
])('where files have changed, a command is done again that %s: %j', (_what, over, never) => {
  const one = { step: step(over), path: 'p', agents: {} };
  expect(reuseFor({ ...settings, changed: true }, one).never).toBe(never);
  expect(reuseFor(settings, one).never).toBeUndefined();
});

it.each([
  ['a command', step({}), true],
  ['a command that names what it reads', step({ reads: ['a'] }), true],
  ['a command that names what it reads and writes', step({ reads: ['a'], writes: ['b'] }), true],
  ['a command without an effect', step({ effect: 'none' }), undefined],
  ['an agent without tools', step({ kind: 'agent', agent: 'none' }), undefined],
  ['an agent with tools', step({ kind: 'agent', agent: 'some' }), true],
])('a rerun in a new work tree takes over no result whose files are not there: %s', (_what, one, never) => {
  const agents = { none: { uses: [] }, some: { uses: [{}] } } as never;
  expect(reuseFor(settings, { step: one, path: 'p', agents }).never).toBeUndefined();
  expect(reuseFor({ ...settings, in_tree: true }, { step: one, path: 'p', agents }).never).toBe(never);
});
