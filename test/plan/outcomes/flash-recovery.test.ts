import { describe, expect, it } from 'vitest';
import { RECOVERY_OPTIONS, givenUp, isInDoubt, recoveryOf } from '../../../src/plan/outcomes/flash-recovery.js';
import type { FailureType } from '../../../src/plan/failure.js';
import { FAILURES } from '../../../src/plan/failure.js';
import type { Step } from '../../../src/plan/step.js';
import { inline } from '../../../src/plan/values/value.js';
import { commandStep } from '../helpers/build-plan.js';

const flash = { ...commandStep(0, []), kind: 'flash' } as unknown as Step; // nothing else of it is looked at
const types = Object.keys(FAILURES) as FailureType[]; // its keys

describe('a device that could not be flashed', () => {
  it('is in doubt where nobody knows what it holds, or only a hand can help', () => {
    expect(types.filter((type) => isInDoubt(flash, { type, message: '' })).sort()).toEqual([
      'device-doubt',
      'device-mismatch',
      'device-mute',
      'flash-failed',
      'not-expected',
      'not-written',
      'timeout',
    ]);
    expect(types.filter((type) => isInDoubt(commandStep(0, ['true']), { type, message: '' }))).toEqual([]);
  });

  it('is treated as somebody chose, else tried again where they approve and left where they reject', () => {
    for (const option of RECOVERY_OPTIONS)
      expect(recoveryOf({ decision: 'answer', output: inline(option) })).toBe(option);
    expect(recoveryOf({ decision: 'approve', output: null })).toBe('retry');
    expect(recoveryOf({ decision: 'reject', output: null })).toBe('abort');
    expect(recoveryOf({ decision: 'answer', output: inline('other') })).toBe('abort');
    expect(recoveryOf({ decision: 'approve', output: { ref: 'sha256:x', bytes: 900 } })).toBe('retry');
  });

  const failure = { type: 'device-mute' as const, message: 'The board says nothing.' };
  const late = { type: 'timeout' as const, message: 'Too late.' };
  it.each<[string, ReturnType<typeof givenUp>, object]>([
    [
      'skipped, with who says so',
      givenUp('skip', failure, ['ana', 'bo'], 'broken'),
      {
        status: 'skipped',
        reason: 'given up by ana and bo: broken: The board says nothing.',
        decided_by: ['ana', 'bo'],
      },
    ],
    [
      'restored, and has failed all the same',
      givenUp('restore', failure, ['ana']),
      {
        status: 'error',
        failure: { type: 'device-mute', message: 'The board says nothing. The last good image was restored (ana).' },
        decided_by: ['ana'],
      },
    ],
    ['left as it is', givenUp('abort', failure, ['ana']), { status: 'error', failure, decided_by: ['ana'] }],
    ['left after its time', givenUp('abort', late, []), { status: 'timeout', failure: late }],
    ['restored after its time', givenUp('restore', late, ['ana']), { status: 'error', decided_by: ['ana'] }],
    [
      'skipped by a fallback, which is nobody',
      givenUp('skip', failure, ['fallback'], ''),
      { status: 'skipped', reason: 'given up by fallback: The board says nothing.' },
    ],
  ])('is %s', (_, end, expected) => {
    expect(end).toMatchObject(expected);
    expect('decided_by' in end).toBe('decided_by' in expected);
  });
});
