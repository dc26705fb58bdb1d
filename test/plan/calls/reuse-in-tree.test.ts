import { expect, it } from 'vitest';
import { reuseFor } from '../../../src/plan/calls/reuse.js';
import type { Step } from '../../../src/plan/step.js';

const settings = { run: 'r', from: 'j', changed: false, fresh: [], done: [] };
// only what `reuseFor` looks at
const step = (over: object): Step =>
  ({ kind: 'command', effect: 'workspace', always: false, reads: [], ...over }) as unknown as Step;

it.each([
  ['a command', step({}), true],
  ['a command that names what it reads', step({ reads: ['a'] }), true],
  ['a command without an effect', step({ effect: 'none' }), undefined],
  ['an agent without tools', step({ kind: 'agent', agent: 'none' }), undefined],
  ['an agent with tools', step({ kind: 'agent', agent: 'some' }), true],
])('a rerun in a new work tree takes over no result whose files are not there: %s', (_what, one, never) => {
  const agents = { none: { uses: [] }, some: { uses: [{}] } } as never;
  expect(reuseFor(settings, { step: one, path: 'p', agents }).never).toBeUndefined();
  expect(reuseFor({ ...settings, in_tree: true }, { step: one, path: 'p', agents }).never).toBe(never);
});
