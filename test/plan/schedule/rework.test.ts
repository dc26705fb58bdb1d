import { describe, expect, it } from 'vitest';
import { bind } from '../../../src/plan/schedule/bindings.js';
import { carrySchedule, restoreSchedule } from '../../../src/plan/schedule/carried-schedule.js';
import { mayBeRedone, redoneBy, reworkOf, timesRedone } from '../../../src/plan/schedule/rework.js';
import type { StepEnd } from '../../../src/plan/schedule/schedule-state.js';
import {
  createSchedule,
  endOf,
  endStep,
  errorOf,
  lettersOf,
  skipPending,
  startStep,
} from '../../../src/plan/schedule/schedule.js';
import type { ApprovalStep } from '../../../src/plan/step.js';
import { inline } from '../../../src/plan/values/value.js';
import { after, body, commandStep, needs, stepBase } from '../helpers/build-plan.js';

const gate = (index: number, from: number[], max = 2): ApprovalStep => ({
  ...stepBase(index, { needs: needs(...from) }),
  kind: 'approval',
  message: { kind: 'literal', value: '?' },
  content: null,
  fallback: 'abort',
  rework: { step: 1, max },
});
const made: StepEnd = { status: 'success', output: inline('x') };
const rejected: StepEnd = {
  status: 'error',
  failure: { type: 'rejected', message: 'no' },
  decided_by: ['ana'],
  feedback: 'shorter',
};

/** facts → draft → (check, side) → gate → send; `side` runs beside. */
const flow = body([
  commandStep(0, ['facts']),
  commandStep(1, ['draft'], { needs: needs(0) }),
  commandStep(2, ['check'], { needs: after(1) }),
  gate(3, [2]),
  commandStep(4, ['send'], { needs: needs(3) }),
  commandStep(5, ['side'], { needs: needs(1) }),
]);

const atGate = () => {
  const schedule = createSchedule(flow);
  for (const index of [0, 1, 2]) {
    startStep(schedule, index);
    endStep(schedule, index, made);
  }
  startStep(schedule, 5);
  startStep(schedule, 3);
  return schedule;
};
const statuses = (schedule: ReturnType<typeof atGate>): string => schedule.steps.map(({ status }) => status).join(' ');

describe('a rejection with rework', () => {
  it('runs the named step and all that comes after it again, and nothing before', () => {
    const schedule = atGate();
    endStep(schedule, 3, rejected);
    expect(statuses(schedule)).toBe('success pending pending pending pending running');
    expect([...schedule.ready]).toEqual([1]);
    expect(schedule.ended).toEqual([0]);
    expect(timesRedone(schedule, 1)).toBe(1);
    expect(timesRedone(schedule, 0)).toBe(0);
    expect(
      bind(['rework:feedback', 'rework:by', 'rework:round'], {
        schedule,
        agents: {},
        input: {},
        unattended: false,
        outer: null,
        item: null,
        index: null,
        last: null,
      }),
    ).toEqual({
      'rework:feedback': inline('shorter'),
      'rework:by': inline(['ana']),
      'rework:round': inline(1),
    });
  });

  it('has what runs meanwhile run again when it has ended, after what it needs', () => {
    const schedule = atGate();
    endStep(schedule, 3, rejected);
    expect(schedule.steps[5]?.voided).toBe(true);
    endStep(schedule, 5, { status: 'error', failure: { type: 'cancelled', message: 'cancelled' } });
    expect(statuses(schedule)).toContain('pending pending');
    startStep(schedule, 1);
    endStep(schedule, 1, made);
    expect([...schedule.ready]).toEqual([2, 5]);
  });

  it('takes back what had failed among it, keeps what was spent, and counts each again', () => {
    const spend = { usd: 1, tokens: 1, steps: 1 };
    const schedule = createSchedule(
      body([
        commandStep(0, ['facts'], { on_error: 'continue' }),
        commandStep(1, ['draft'], { needs: needs(0) }),
        commandStep(2, ['check'], { needs: after(1), on_error: 'continue' }),
        gate(3, [2]),
      ]),
    );
    const end = (index: number, how: StepEnd): void => {
      startStep(schedule, index);
      endStep(schedule, index, { ...how, spend });
    };
    end(0, { status: 'error', failure: { type: 'command-failed', message: 'no facts' } });
    end(1, made);
    end(2, { status: 'timeout', failure: { type: 'timeout', message: 'too late' } });
    expect([lettersOf(schedule), schedule.open, errorOf(schedule)]).toEqual(['estp', 1, '0: no facts\n2: too late']);
    end(3, rejected);
    expect([lettersOf(schedule), schedule.open, errorOf(schedule), schedule.spend.usd]).toEqual([
      'eppp',
      3,
      '0: no facts',
      4,
    ]);
    expect([schedule.failures.count, [...schedule.ready], [...schedule.running]]).toEqual([1, [1], []]);
    end(1, made);
    end(2, made);
    end(3, made);
    expect([endOf(schedule), lettersOf(schedule), schedule.open, schedule.spend.usd]).toEqual([
      'partial',
      'esss',
      0,
      7,
    ]);
  });

  it('ends what runs as it ends where the run was stopped meanwhile', () => {
    const schedule = atGate();
    endStep(schedule, 3, rejected);
    skipPending(schedule, 'cancelled');
    endStep(schedule, 5, made);
    expect(schedule.steps[5]).toMatchObject({ status: 'success' });
    expect(schedule.open).toBe(0);
  });

  it('has what ran and needs nothing that runs again start at once', () => {
    const schedule = createSchedule(body([commandStep(0, ['facts']), commandStep(1, ['draft']), gate(2, [1])]));
    for (const index of [0, 1]) {
      startStep(schedule, index);
      endStep(schedule, index, made);
    }
    startStep(schedule, 2);
    endStep(schedule, 2, { ...rejected, spend: { usd: 1, tokens: 0, steps: 1 } });
    startStep(schedule, 1);
    expect([...schedule.running]).toEqual([1]);
    expect(schedule.spend.usd).toBe(1);
  });

  it('is a failure when it was sent back often enough, and when no person said so', () => {
    const schedule = atGate();
    endStep(schedule, 3, { status: 'error', failure: { type: 'rejected', message: 'by default' } });
    expect(schedule.stopped).toBe(3);
    const often = createSchedule(body([commandStep(0, ['a']), commandStep(1, ['draft']), gate(2, [1], 1)]));
    const round = (): void => {
      startStep(often, 1);
      endStep(often, 1, made);
      startStep(often, 2);
      endStep(often, 2, rejected);
    };
    startStep(often, 0);
    endStep(often, 0, made);
    round();
    expect(errorOf(often)).toBeNull();
    round();
    expect(endOf(often)).toBe('error');
  });

  it('travels when the run continues as new, with what is read again', () => {
    const schedule = atGate();
    endStep(schedule, 3, rejected);
    endStep(schedule, 5, made);
    const restored = restoreSchedule(flow, carrySchedule(schedule));
    expect([...restored.ready]).toEqual([1]);
    expect(restored.reworks).toEqual(schedule.reworks);
    expect(redoneBy(flow, 3)).toEqual(new Set([1, 2, 3, 4, 5]));
  });
});

describe('a gate of a body', () => {
  const { rework: _rework, ...plain } = gate(4, [3]);
  const two = body([
    commandStep(0, ['facts']),
    commandStep(1, ['draft'], { needs: needs(0) }),
    gate(2, [1]),
    gate(3, [2], 1),
    plain,
  ]);

  it('sends back what comes after where it goes back to; other steps and gates send nothing back', () => {
    expect(mayBeRedone(two)).toEqual(new Set([1, 2, 3, 4]));
    expect(mayBeRedone(body([commandStep(0, ['a']), { ...plain, index: 1 }]))).toEqual(new Set());
    for (const index of [0, 4, 9]) expect(redoneBy(two, index)).toEqual(new Set());
  });

  it.each<[string, number, StepEnd]>([
    ['is approved', 2, made],
    ['fails', 2, { status: 'error', failure: { type: 'internal', message: 'lost' }, decided_by: ['ana'] }],
    ['is skipped', 2, { status: 'skipped', reason: 'condition' }],
    ['is rejected by nobody', 2, { status: 'error', failure: { type: 'rejected', message: 'late' } }],
    ['has no rework', 4, rejected],
    ['is no gate', 1, rejected],
    ['is not there', 9, rejected],
  ])('sends nothing back when it %s', (_, index, end) => {
    expect(reworkOf(createSchedule(two), index, end)).toBeNull();
  });

  it('sends back as often as it may, whatever other gates have sent back, and not once the run is stopped', () => {
    const schedule = createSchedule(two);
    const back = { gate: 3, feedback: 'shorter', by: ['ana'] };
    schedule.reworks.push({ ...back, gate: 2 });
    expect(reworkOf(schedule, 3, rejected)).toEqual(back);
    expect(reworkOf(schedule, 3, { ...rejected, feedback: null })).toEqual({ ...back, feedback: null });
    schedule.stopped = 0;
    expect(reworkOf(schedule, 3, rejected)).toBeNull();
    schedule.stopped = null;
    schedule.reworks.push(back);
    expect(reworkOf(schedule, 3, rejected)).toBeNull();
  });
});
