import { describe, expect, it } from 'vitest';
import { conditionOf, rootsOfStep } from '../../../src/plan/references/step-references.js';
import type { DeviceRef } from '../../../src/plan/devices/device.js';
import type { Step } from '../../../src/plan/step.js';
import { PERMISSIONS, agentStep } from '../../workflows/helpers/conversing.js';
import { foreach, loop, many, reference, set, single, textOf, wait, whole } from '../helpers/build-blocks.js';
import { commandStep, stepBase } from '../helpers/build-plan.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';

const [a, b, c, d] = ['input:a', 'input:b', 'input:c', 'input:d'].map((root) => whole(root)) as [
  ReturnType<typeof whole>,
  ReturnType<typeof whole>,
  ReturnType<typeof whole>,
  ReturnType<typeof whole>,
];
const device = { name: 'board' } as DeviceRef; // nothing looks into it here
const rules = { approvers: b, not_deciders: c, escalate: { after_ms: 1, to: d } };
const ask: Step = { ...stepBase(0), kind: 'ask', question: a, schema: null, choices: null, rules };
const approval: Step = { ...stepBase(0), kind: 'approval', message: a, content: null, fallback: 'abort' };

describe('what a step refers to', () => {
  it.each<[string, Step, string]>([
    [
      'an agent: its prompt, its stand-in, its inputs',
      agentStep(0, { prompt: a, rehearsal: b, inputs: { x: c } }),
      'abc',
    ],
    ['an agent that is told nothing', agentStep(0, { prompt: null }), ''],
    [
      'a command: its words, folder, input and environment',
      { ...commandStep(0, []), argv: [a], cwd: b, stdin: c, env: { X: d } },
      'abcd',
    ],
    [
      'a tool: what it is called with',
      {
        ...stepBase(0),
        kind: 'tool',
        tool: { kind: 'builtin', name: 'read_file' },
        permissions: PERMISSIONS,
        inputs: { path: a, limit: b },
        schema: null,
      },
      'ab',
    ],
    [
      'a workflow: its inputs',
      { ...stepBase(0), kind: 'workflow', workflow: 'w', plan: `sha256:x`, inputs: { x: d } },
      'd',
    ],
    [
      'a plan: its source, its question, its inputs',
      {
        ...stepBase(0),
        kind: 'plan',
        source: a,
        message: b,
        inputs: { x: c },
        kinds: [],
        budgets: NO_BUDGETS,
        fallback: 'abort',
      },
      'abc',
    ],
    ['a gate: its question alone', approval, 'a'],
    [
      'a gate: its content, who chooses, who decides',
      { ...approval, content: b, fallback: { by: c }, rules: { escalate: { after_ms: 1, to: d } } },
      'abcd',
    ],
    ['a question: who answers', ask, 'abcd'],
    ['values, and what they must satisfy', { ...set(0, { x: a }), require: reference('input:b') }, 'ab'],
    ['a time', { ...wait(0, 0), until: a }, 'a'],
    ['a time that passes', wait(0, 5), ''],
    ['a list', foreach(0, a, single(commandStep(0, ['true']))), 'a'],
    ['sources', { ...stepBase(0), kind: 'compile', device, sources: [a, b] }, 'ab'],
    [
      'an image, files, a question, and what the board says',
      {
        ...stepBase(0),
        kind: 'flash',
        device,
        image: a,
        files: b,
        ready: c,
        boot: { expect: d, timeout_ms: 1 },
        fallback: 'skip',
      },
      'abcd',
    ],
    [
      'an image alone',
      { ...stepBase(0), kind: 'flash', device, image: a, files: null, ready: null, boot: null, fallback: 'skip' },
      'a',
    ],
    [
      'what is read and written on a line',
      {
        ...stepBase(0),
        kind: 'serial',
        device,
        expect: a,
        write: b,
        after: c,
        rehearsal: d,
        listen_ms: 1,
        capture: 'all',
      },
      'abcd',
    ],
  ])('of %s', (_, step, names) => {
    const roots = [...names].map((name) => `input:${name}`);
    expect(rootsOfStep(step)).toEqual(roots);
    const conditional: Step = { ...step, when: reference('step:9.output') };
    expect(rootsOfStep(conditional)).toEqual(['step:9.output', ...roots]);
  });

  it('is each once', () => {
    expect(
      rootsOfStep(agentStep(0, { prompt: textOf({ root: 'input:a' }, { root: 'input:a' }), inputs: { x: a } })),
    ).toEqual(['input:a']);
  });

  it('is of a body what it refers to around it, and inputs', () => {
    const inner = agentStep(0, {
      prompt: textOf({ root: '^step:0.output' }, { root: 'item' }, { root: 'step:1.output' }, { root: 'input:b' }),
    });
    expect(rootsOfStep(foreach(1, whole('step:0.output'), single(inner)))).toEqual(['step:0.output', 'input:b']);
    const body = many([inner], textOf({ root: '^step:4.output' }, { root: 'index' }));
    expect(rootsOfStep(loop(1, reference('^step:3.output'), body))).toEqual([
      'step:0.output',
      'input:b',
      'step:3.output',
      'step:4.output',
    ]);
  });

  it('goes out one scope for each body around it', () => {
    const innermost = agentStep(0, { prompt: textOf({ root: '^^step:0.output' }, { root: '^item' }) });
    const inner = foreach(0, whole('item'), single(innermost));
    expect(rootsOfStep(inner)).toEqual(['item', '^step:0.output']);
    expect(rootsOfStep(foreach(1, whole('input:a'), single(inner)))).toEqual(['input:a', 'step:0.output']);
  });
});

it('knows the conditions that steps have', () => {
  const [one, two] = [reference('input:a'), reference('input:b')];
  const round = { ...loop(0, one, single(commandStep(0, ['true']))), when: two };
  const values: Step = { ...set(0, {}), require: one };
  expect([conditionOf(round, 'until'), conditionOf(round, 'when'), conditionOf(round, 'require')]).toEqual([
    one,
    two,
    null,
  ]);
  expect([conditionOf(values, 'until'), conditionOf(values, 'when'), conditionOf(values, 'require')]).toEqual([
    null,
    null,
    one,
  ]);
  expect(conditionOf(set(0, {}), 'require')).toBeNull();
});
