import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Autonomy, AutonomyLevel, Severity } from '../../../src/plan/gates/autonomy.js';
import {
  AUTONOMY_LEVELS,
  SEVERITIES,
  isForAutonomy,
  judgeCall,
  judgeToolStep,
  personNeeded,
} from '../../../src/plan/gates/autonomy.js';
import { stepWaits } from '../../../src/plan/outcomes/step-waits.js';
import type { Action } from '../../../src/plan/tools/action.js';
import { commandStep } from '../helpers/build-plan.js';
import { everything } from '../../cli/helpers/every-kind.js';
import { PERMISSIONS } from '../../workflows/helpers/conversing.js';

/** Which severities wait for a person at which level: the table as people read it. */
const WAITS: Record<AutonomyLevel, Record<Severity, boolean>> = {
  hitl: { low: true, medium: true, high: true, critical: true },
  supervised: { low: false, medium: false, high: true, critical: true },
  autonomous: { low: false, medium: false, high: false, critical: true },
  yolo: { low: false, medium: false, high: false, critical: false },
};

function waits(policies: Autonomy[], severity: Severity, types: string[] = ['command']): boolean {
  return personNeeded(policies, { severity, types }) !== null;
}

const cells = AUTONOMY_LEVELS.flatMap((level) => SEVERITIES.map((severity) => ({ level, severity })));

describe('The autonomy', () => {
  it.each(cells)('at $level: an action of severity $severity waits as the table says', ({ level, severity }) => {
    expect(waits([{ level }], severity)).toBe(WAITS[level][severity]);
    for (const type of ['doc', 'code', 'deploy']) {
      expect(waits([{ level }], severity, ['command', type])).toBe(WAITS[level][severity]);
      expect(waits([{ level, require_approval_for: ['deploy'] }], severity, ['command', type])).toBe(
        WAITS[level][severity] || type === 'deploy',
      );
    }
    for (const course of ['auto', 'suspend'] as const) {
      const policy = { level, checkpoint_policy: { [severity]: course } };
      expect(waits([policy], severity)).toBe(course === 'suspend');
      expect(waits([{ ...policy, require_approval_for: ['command'] }], severity)).toBe(true);
      for (const other of SEVERITIES.filter((one) => one !== severity))
        expect(waits([policy], other)).toBe(WAITS[level][other]);
    }
  });

  it('is supervised where nobody says a level', () => {
    for (const severity of SEVERITIES) {
      expect(waits([], severity)).toBe(WAITS.supervised[severity]);
      expect(waits([{ require_approval_for: ['deploy'] }], severity)).toBe(WAITS.supervised[severity]);
    }
    expect(waits([{ level: 'yolo' }, { require_approval_for: ['deploy'] }], 'critical')).toBe(false);
  });

  it('is never more than any of several policies gives', () => {
    const policy = fc.record(
      {
        level: fc.constantFrom(...AUTONOMY_LEVELS),
        checkpoint_policy: fc.dictionary(fc.constantFrom(...SEVERITIES), fc.constantFrom('auto', 'suspend'), {
          maxKeys: 4,
        }),
        require_approval_for: fc.subarray(['deploy', 'command', 'agent']),
      },
      { requiredKeys: ['level'] },
    ) as fc.Arbitrary<Autonomy>; // the keys are severities
    fc.assert(
      fc.property(
        fc.array(policy, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...SEVERITIES),
        fc.subarray(['deploy', 'command', 'agent']),
        (policies, severity, types) => {
          expect(waits(policies, severity, types)).toBe(policies.some((one) => waits([one], severity, types)));
        },
      ),
    );
  });

  it('says which of its words has an action wait', () => {
    const checked = { severity: 'high', types: ['command', 'deploy'] } as const;
    const why = (policy: Autonomy): string | null =>
      personNeeded([policy], { severity: checked.severity, types: [...checked.types] });
    expect(why({ level: 'supervised' })).toBe('Its severity is high, and the autonomy is supervised.');
    expect(why({ level: 'yolo', checkpoint_policy: { high: 'suspend' } })).toBe(
      'Its severity is high, and `checkpoint_policy` has it wait.',
    );
    expect(why({ level: 'yolo', require_approval_for: ['dep*'] })).toBe(
      '`dep*` stands under `require_approval_for` of the autonomy.',
    );
  });
});

describe('Steps', () => {
  it('wait where they act: each kind at hitl, without a word of their own', () => {
    const acting = new Set(['agent', 'command', 'compile', 'flash', 'serial']);
    for (const step of everything().steps)
      expect(stepWaits(step, [{ level: 'hitl' }]) !== null, step.kind).toBe(acting.has(step.kind));
  });

  it('are known by what they are, whatever they call themselves', () => {
    const step = { ...commandStep(0, ['true']), checkpoint: { severity: 'low', type: 'doc' } as const };
    for (const type of ['command', 'doc'])
      expect(stepWaits(step, [{ level: 'yolo', require_approval_for: [type] }])).not.toBeNull();
    expect(stepWaits(step, [{ level: 'yolo', require_approval_for: ['deploy'] }])).toBeNull();
  });
});

describe('Calls of tools', () => {
  const write: Action = { kind: 'write', path: 'docs/a.md' };
  const read: Action = { kind: 'read', path: 'docs/a.md' };

  it('wait at hitl where they do more than look, and by their types at every level', () => {
    expect(judgeCall(PERMISSIONS, [{ level: 'hitl' }], write)).toMatchObject({ verdict: 'ask' });
    expect(judgeCall(PERMISSIONS, [{ level: 'hitl' }], read)).toMatchObject({ verdict: 'allow' });
    expect(judgeCall(PERMISSIONS, [], write)).toMatchObject({ verdict: 'allow' });
    const policy: Autonomy = { level: 'yolo', require_approval_for: ['write:docs/*'] };
    expect(judgeCall(PERMISSIONS, [policy], write)).toMatchObject({ verdict: 'ask' });
    expect(judgeCall(PERMISSIONS, [policy], { kind: 'write', path: 'src/a.ts' })).toMatchObject({ verdict: 'allow' });
  });

  it('go on at hitl where they do nothing', () => {
    expect(judgeCall(PERMISSIONS, [{ level: 'hitl' }], { kind: 'none' })).toMatchObject({ verdict: 'allow' });
  });

  it('are asked about for the sake of the autonomy alone where their permissions allow them', () => {
    expect(isForAutonomy(PERMISSIONS, write)).toBe(true);
    expect(isForAutonomy(PERMISSIONS, { kind: 'write', path: '../out' })).toBe(false);
    expect(isForAutonomy(undefined, write)).toBe(false);
  });

  it('are not allowed by any autonomy what permissions deny', () => {
    const action: Action = { kind: 'write', path: '../out' };
    for (const level of AUTONOMY_LEVELS)
      expect(judgeCall(PERMISSIONS, [{ level }], action)).toMatchObject({ verdict: 'deny' });
  });

  it('of a step have its severity, also where they only look', () => {
    const step = { permissions: PERMISSIONS, checkpoint: { severity: 'critical' as const } };
    expect(judgeToolStep(step, [], read)).toMatchObject({ verdict: 'ask' });
    expect(judgeToolStep(step, [{ level: 'yolo' }], read)).toMatchObject({ verdict: 'allow' });
  });
});
