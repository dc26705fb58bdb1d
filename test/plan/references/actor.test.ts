import { expect, it } from 'vitest';
import { actorOf } from '../../../src/plan/references/actor.js';
import type { DeviceRef } from '../../../src/plan/devices/device.js';
import type { Step } from '../../../src/plan/step.js';
import { PERMISSIONS, WORKER, agent, agentStep } from '../../workflows/helpers/conversing.js';
import { echo, foreach, loop, many, reference, set, single, wait, whole } from '../helpers/build-blocks.js';
import { commandStep, stepBase } from '../helpers/build-plan.js';

const device = { name: 'board' } as DeviceRef; // nothing looks into it here
const npm = commandStep(0, ['npm', 'test']);

it.each<[string, Step, string]>([
  ['an agent by its name', agentStep(0), 'worker'],
  ['an agent that nobody knows', agentStep(0, { agent: 'sha256:gone' }), 'agent'],
  ['a command by its program', npm, 'npm'],
  ['a command whose program is computed', { ...npm, argv: [whole('input:program')] }, 'command'],
  [
    'a tool by its name',
    {
      ...stepBase(0),
      kind: 'tool',
      tool: { kind: 'builtin', name: 'shell' },
      permissions: PERMISSIONS,
      inputs: {},
      schema: null,
    },
    'shell',
  ],
  [
    'a workflow by its name',
    { ...stepBase(0), kind: 'workflow', workflow: 'review', plan: 'sha256:x', inputs: {} },
    'review',
  ],
  ['a list of one step by that', foreach(0, whole('input:a'), single(npm)), 'npm'],
  [
    'a loop of a list of one step',
    loop(0, reference('input:a'), single(foreach(0, whole('item'), single(npm)))),
    'npm',
  ],
  ['a list of steps', foreach(0, whole('input:a'), many([npm])), 'foreach'],
  ['a loop of steps', loop(0, reference('input:a'), many([npm])), 'loop'],
  ['what is compiled for a device', { ...stepBase(0), kind: 'compile', device, sources: [] }, 'board'],
  ['values', set(0, {}), 'set'],
  ['a wait', wait(0, 1), 'wait'],
  ['a command that prints', echo(0, whole('input:a')), 'printf'],
])('calls %s', (_, step, word) => {
  expect(actorOf(step, { [WORKER]: agent() })).toBe(word);
});
