import { expect, it } from 'vitest';
import { stepWaits } from '../../../src/plan/outcomes/step-waits.js';
import { requirementText, ownGateEnd } from '../../../src/plan/outcomes/step-ends.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import { DEFAULT_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { Step } from '../../../src/plan/step.js';
import { inline } from '../../../src/plan/values/value.js';
import { set } from '../helpers/build-blocks.js';
import { stepBase } from '../helpers/build-plan.js';
import { gateWith, iso } from '../helpers/gates.js';

it('has a person allow a nested workflow only where its author says how severe it is', () => {
  const step: Step = { ...stepBase(0), kind: 'workflow', workflow: 'w', plan: 'sha256:x', inputs: {} };
  expect(stepWaits(step, [{ level: 'hitl' }])).toBeNull();
  const checkpoint = { severity: 'high' as const };
  expect(stepWaits({ ...step, checkpoint }, [{ level: 'hitl' }])).toMatch(/severity is high/);
  expect(stepWaits({ ...step, checkpoint }, [{ level: 'autonomous' }])).toBeNull();
  expect(stepWaits({ ...set(0, {}), checkpoint }, [{ level: 'hitl' }])).toBeNull();
});

it.each([
  [inline({ message: 'too few' }), 'too few'],
  [inline({ message: '' }), 'The condition of `require` does not hold.'],
  [inline({ message: 5 }), 'The condition of `require` does not hold.'],
  [inline({}), 'The condition of `require` does not hold.'],
  [inline('message'), 'The condition of `require` does not hold.'],
  [null, 'The condition of `require` does not hold.'],
  [{ ref: 'sha256:x', bytes: 900 } as const, 'The condition of `require` does not hold.'],
])('says of a condition that does not hold what %j says', (output, text) => {
  expect(requirementText(output)).toBe(text);
});

it('takes the fallback of a gate that nobody decided in time only where a run starts by itself and asks', () => {
  const settings: RunSettings = {
    models: {},
    rehearsal: false,
    submitted_by: 'ana',
    gates: 'fallback',
    search_attributes: false,
    budget: DEFAULT_BUDGETS,
    workspace: '/w',
    caller: '/w',
  };
  const gate = gateWith({ fallback: 'approve', deadline: iso(60_000) });
  const expired = { decision: 'expire' as const, by: [], comment: null, output: null, at: iso(60_000) };
  const asks = { ...settings, asks_until_deadline: true as const };
  expect(ownGateEnd(expired, gate, asks)).toMatchObject({
    status: 'success',
    note: 'approved by fallback: unattended',
  });
  // What one of several people has edited, and nobody agreed with, is not what that approves.
  const edited = { ...gate, content: inline('edited'), first: { content: inline('first'), hash: gate.hash } };
  expect(ownGateEnd(expired, edited, asks)).toMatchObject({ status: 'success', output: inline('first') });
  expect(ownGateEnd(expired, gate, settings)).toMatchObject({ failure: { type: 'expired' } });
  expect(ownGateEnd(expired, { ...gate, kind: 'tool' }, asks)).toMatchObject({ failure: { type: 'expired' } });
  expect(ownGateEnd(expired, { ...gate, kind: 'ask', default: 1 }, asks)).toMatchObject({ output: inline(1) });
  expect(ownGateEnd(expired, gate, { ...asks, gates: 'ask' })).toMatchObject({ failure: { type: 'expired' } });
  expect(ownGateEnd({ ...expired, decision: 'approve', by: ['bo'] }, gate, asks)).toMatchObject({ decided_by: ['bo'] });
});
