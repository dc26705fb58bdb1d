import { describe, expect, it } from 'vitest';
import { fallbackOf } from '../../../src/activities/gates/chosen-fallback.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { ApprovalStep } from '../../../src/plan/step.js';
import type { Json } from '../../../src/plan/values/json.js';
import { inline } from '../../../src/plan/values/value.js';

// Only what names the chooser is looked at.
const plan = { agents: { a: { name: 'judge' } }, steps: [{ kind: 'agent', agent: 'a' }] } as unknown as Plan;
const place = { plan, body: plan };
const step = (root: string): ApprovalStep =>
  ({
    fallback: { by: { kind: 'expression', expression: { kind: 'reference', root, path: [], source: 'x' } } },
  }) as unknown as ApprovalStep; // the rest of the step is not read

function chosen(value: Json | undefined, root = 'step:0.output'): unknown {
  const environment = { [root]: value === undefined ? { missing: true as const } : inline(value) };
  const stored = (): never => {
    throw new Error('nothing is stored here');
  };
  return fallbackOf(step(root), { environment, load: stored, text: stored }, place);
}

describe('the fallback that a value chooses', () => {
  it.each<[Json, string, string | null]>([
    [true, 'approve', null],
    ['approve', 'approve', null],
    ['skip', 'skip', null],
    [{ holds: true, reason: ' fine ' }, 'approve', 'fine'],
    [{ holds: 'true' }, 'abort', null],
    [{ holds: 'skip', reason: 7 }, 'skip', null],
    [{ reason: 'it holds' }, 'abort', 'it holds'],
    [false, 'abort', null],
    [1, 'abort', null],
    ['yes', 'abort', null],
    [['approve'], 'abort', null],
  ])('%j is %s', (value, fallback, reason) => {
    expect(chosen(value)).toEqual({ fallback, fallback_by: { name: 'judge (a model)', reason } });
  });

  it("is nobody's, and stops, where the step did not run", () => {
    expect(chosen(undefined)).toEqual({ fallback: 'abort' });
  });

  it("is not told as a model's where it is an input's", () => {
    expect(chosen(true, 'input:sure')).toEqual({
      fallback: 'approve',
      fallback_by: { name: 'fallback', reason: null },
    });
  });
});
