import { describe, expect, it } from 'vitest';
import type { FailureType } from '../../../src/plan/failure.js';
import { FAILURES, isFailureType, isUnasked } from '../../../src/plan/failure.js';
import { nextTryDelay } from '../../../src/plan/outcomes/retry-delay.js';
import { agentStep } from '../../workflows/helpers/conversing.js';
import { commandStep } from '../helpers/build-plan.js';

const types = Object.keys(FAILURES) as FailureType[]; // its keys
const retry = { attempts: 3, backoff_ms: 1_000 };
const fail = (type: FailureType) => ({ type, message: '' });
const WORTH = ['command-failed', 'tool-failed', 'nested-failed'];

describe('another try of a step', () => {
  it('comes after what may pass, and after what its author says is worth one', () => {
    for (const type of types) {
      const may = FAILURES[type].transient || WORTH.includes(type);
      expect(nextTryDelay(commandStep(0, ['x'], { retry }), fail(type), 1), type).toBe(may ? 1_000 : null);
    }
  });

  it('waits twice as long each time, and at most five minutes', () => {
    const step = commandStep(0, ['x'], { retry: { attempts: 20, backoff_ms: 1_000 } });
    expect([1, 2, 3, 9, 10, 19].map((tries) => nextTryDelay(step, fail('timeout'), tries))).toEqual([
      1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
    ]);
  });

  it('does not come once there were as many as are allowed', () => {
    const step = commandStep(0, ['x'], { retry });
    expect([1, 2, 3, 4].map((tries) => nextTryDelay(step, fail('timeout'), tries))).toEqual([1_000, 2_000, null, null]);
  });

  it('does not come for an answer that an agent was asked for again, and for its turns only where that is said', () => {
    expect(nextTryDelay(agentStep(0, { retry }), fail('answer-invalid'), 1)).toBeNull();
    expect(nextTryDelay(commandStep(0, ['x'], { retry }), fail('answer-invalid'), 1)).toBe(1_000);
    expect(nextTryDelay(agentStep(0, { retry }), fail('turns-exceeded'), 1)).toBeNull();
    expect(nextTryDelay(agentStep(0, { retry: { ...retry, anew: true } }), fail('turns-exceeded'), 1)).toBe(1_000);
    expect(nextTryDelay(agentStep(0, { retry }), fail('rate-limited'), 1)).toBe(1_000);
  });
});

describe('a failure', () => {
  it('is known by its word', () => {
    for (const type of types) expect(isFailureType(type)).toBe(true);
    for (const type of ['', 'toString', 'Timeout', 5, null, undefined, ['timeout']])
      expect(isFailureType(type)).toBe(false);
  });

  it('that came before anything was asked is no try', () => {
    expect(types.filter((type) => isUnasked(type)).sort()).toEqual(['budget-short', 'quota-used']);
    expect([isUnasked(null), isUnasked(undefined)]).toEqual([false, false]);
  });
});
