import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bind, groupResultOf, isInline } from '../../src/plan/schedule/bindings.js';
import { FAILURES } from '../../src/plan/failure.js';
import type { Decision, Gate } from '../../src/plan/gates/gate.js';
import { isDecision, refusalOf } from '../../src/plan/gates/gate.js';
import { canonicalJson, utf8Bytes } from '../../src/plan/values/json.js';
import { nestedPlan } from '../../src/plan/plan.js';
import { nextTryDelay } from '../../src/plan/outcomes/retry-delay.js';
import { createSchedule, endStep, startStep } from '../../src/plan/schedule/schedule.js';
import type { StepEnd } from '../../src/plan/schedule/schedule-state.js';
import type { AgentStep } from '../../src/plan/step.js';
import { inline, previewOf } from '../../src/plan/values/value.js';
import { body, commandStep, plan, stepBase } from './helpers/build-plan.js';

describe('canonical JSON', () => {
  it('is the same whatever the order of keys, and parses to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const reversed = JSON.parse(JSON.stringify(value), (_, item: unknown) =>
          isRecord(item) ? Object.fromEntries(Object.entries(item).reverse()) : item,
        ) as unknown;
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('measures bytes as UTF-8 does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(utf8Bytes(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });
});

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

describe('values', () => {
  it('previews at most 240 characters', () => {
    expect(previewOf('x'.repeat(240))).toHaveLength(240);
    expect(previewOf('x'.repeat(241))).toBe(`${'x'.repeat(239)}…`);
    expect(previewOf({ a: 1 })).toBe('{"a":1}');
  });
});

describe('bindings', () => {
  const source = () => {
    const schedule = createSchedule(
      body(
        [commandStep(0, ['a'], { id: 'one' }), commandStep(1, ['b'], { on_error: 'continue' }), commandStep(2, ['c'])],
        { groups: { g: [0, 1] } },
      ),
    );
    const ends: StepEnd[] = [
      { status: 'success', output: { ref: 'sha256:aa', bytes: 700, preview: 'x' } },
      { status: 'timeout', failure: { type: 'timeout', message: 'late' } },
    ];
    ends.forEach((end, index) => {
      startStep(schedule, index);
      endStep(schedule, index, end);
    });
    return {
      schedule,
      agents: {},
      input: { target: inline('src') },
      unattended: false,
      outer: null,
      item: null,
      index: null,
      last: null,
    };
  };

  it('bind outputs, statuses, errors, inputs and groups, and nothing that is not there', () => {
    const bound = bind(
      [
        'input:target',
        'input:none',
        'step:0.output',
        'step:1.output',
        'step:1.status',
        'step:1.error',
        'step:2.status',
        'step:0.constructor',
        'group:g.status',
        'bogus',
      ],
      source(),
    );
    expect(bound).toEqual({
      'input:target': { value: 'src' },
      'input:none': { missing: true },
      'step:0.output': { ref: 'sha256:aa', bytes: 700 },
      'step:1.output': { missing: true },
      'step:1.status': { value: 'timeout' },
      'step:1.error': { value: 'late' },
      'step:2.status': { missing: true },
      'step:0.constructor': { missing: true },
      'group:g.status': { value: 'partial' },
      bogus: { missing: true },
    });
  });

  it('a group counts a timeout as failed', () => {
    const group = groupResultOf('g', source());
    expect(group.status).toBe('partial');
    expect(group.succeeded.map(({ id }) => id)).toEqual(['one']);
    expect(group.failed.map(({ status }) => status)).toEqual(['timeout']);
  });

  it('tell whether everything is inline', () => {
    expect(isInline(bind(['input:target', 'step:1.output'], source()))).toBe(true);
    expect(isInline(bind(['group:g.outputs'], source()))).toBe(false);
    expect(isInline(bind(['step:0'], source()))).toBe(false);
  });
});

describe('tries', () => {
  const step = commandStep(0, ['a'], { retry: { attempts: 3, backoff_ms: 1000 } });
  const agent: AgentStep = {
    ...stepBase(0, { retry: step.retry }),
    kind: 'agent',
    agent: 'sha256:aa',
    prompt: null,
    inputs: {},
    model: null,
    schema: null,
    rehearsal: null,
  };
  it('double their waits and end after the last', () => {
    const failure = { type: 'provider-error', message: '' } as const;
    expect([1, 2, 3].map((tries) => nextTryDelay(step, failure, tries))).toEqual([1000, 2000, null]);
    expect(nextTryDelay({ ...step, retry: { attempts: 99, backoff_ms: 1000 } }, failure, 50)).toBe(300_000);
  });

  it.each(Object.entries(FAILURES).map(([type, { acts, transient }]) => ({ type, acts, transient })))(
    'of $type (for $acts) happen only when it may pass',
    ({ type, transient }) => {
      // type is a key of FAILURES
      const again = nextTryDelay(step, { type: type as keyof typeof FAILURES, message: '' }, 1) !== null;
      // What was asked for again within a try is not asked for anew.
      expect(nextTryDelay(agent, { type: type as keyof typeof FAILURES, message: '' }, 1) !== null).toBe(
        again && type !== 'answer-invalid',
      );
      expect(again).toBe(transient || type === 'command-failed' || type === 'tool-failed' || type === 'nested-failed');
    },
  );
});

describe('decisions', () => {
  const gate: Gate = {
    path: 'approve',
    kind: 'approval',
    message: 'Save?',
    content: null,
    hash: 'sha256:aa',
    fallback: 'abort',
    since: '2026-01-01T00:00:00Z',
  };
  const decision: Decision = { gate: 'approve', decision: 'approve', hash: 'sha256:aa', by: 'ana' };

  it('count when they name an open gate and what it shows', () => {
    expect(refusalOf(decision, gate, undefined, 0)).toBeNull();
  });

  it('are refused for a gate that is not open, was decided, or shows something else', () => {
    expect(refusalOf(decision, undefined, undefined, 0)).toBe('No gate `approve` is open in this run.');
    expect(refusalOf(decision, undefined, { decision: 'reject', by: ['bo'] }, 0)).toBe(
      'Gate `approve` is already decided: reject by bo.',
    );
    expect(refusalOf({ ...decision, hash: 'sha256:bb' }, gate, undefined, 0)).toContain(
      'shows other content (sha256:aa)',
    );
  });

  it.each([
    null,
    'approve',
    {},
    { ...decision, decision: 'maybe' },
    { ...decision, by: '' },
    { ...decision, by: 'x'.repeat(2000) },
    { ...decision, comment: 7 },
    { ...decision, comment: 'x'.repeat(20_000) },
    { ...decision, hash: undefined },
  ])('are none when malformed: %j', (value) => {
    expect(isDecision(value)).toBe(false);
  });
});

describe('a nested plan', () => {
  it('has its own body and only what that reaches', () => {
    const leaf = body([commandStep(0, ['true'])], { name: 'leaf' });
    const middle = body([{ ...stepBase(0), kind: 'workflow', workflow: 'leaf', plan: 'sha256:leaf', inputs: {} }], {
      name: 'middle',
    });
    const whole = plan([{ ...stepBase(0), kind: 'workflow', workflow: 'middle', plan: 'sha256:middle', inputs: {} }], {
      nested: { 'sha256:leaf': leaf, 'sha256:middle': middle, 'sha256:other': body([]) },
    });
    const nested = nestedPlan(whole, 'sha256:middle');
    expect(nested.name).toBe('middle');
    expect(nested.hash).toBe('sha256:middle');
    expect(Object.keys(nested.nested)).toEqual(['sha256:leaf']);
    expect(() => nestedPlan(whole, 'sha256:none')).toThrow('The plan has no nested workflow sha256:none');
  });
});
