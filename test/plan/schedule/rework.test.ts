import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bind } from '../../../src/plan/schedule/bindings.js';
import { carrySchedule, restoreSchedule } from '../../../src/plan/schedule/carried-schedule.js';
import { mayBeRedone, redoneBy, reworkOf, timesRedone } from '../../../src/plan/schedule/rework.js';
import type { Schedule, StepEnd } from '../../../src/plan/schedule/schedule-state.js';
import {
  createSchedule,
  endOf,
  endStep,
  errorOf,
  lettersOf,
  skipPending,
  startStep,
} from '../../../src/plan/schedule/schedule.js';
import type { ApprovalStep, Block, Step } from '../../../src/plan/step.js';
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
const end = (schedule: Schedule, index: number, how: StepEnd): void => {
  startStep(schedule, index);
  endStep(schedule, index, how);
};
const hasEnded = ({ steps }: Schedule, index: number): boolean =>
  !['pending', 'running'].includes(steps[index]?.status ?? 'pending');

/** Steps in any order of needs, a gate that sends one of them back, one that runs always; and how each ends. */
const drawnBlocks: fc.Arbitrary<{ block: Block; ends: StepEnd[] }> = fc
  .array(fc.record({ edges: fc.array(fc.constantFrom('', '', 'skip', 'order'), { maxLength: 8 }), how: fc.nat(5) }), {
    minLength: 3,
    maxLength: 8,
  })
  .chain((drawn) => fc.record({ drawn: fc.constant(drawn), at: fc.integer({ min: 2, max: drawn.length - 1 }) }))
  .map(({ drawn, at }) => {
    const steps = drawn.map(({ edges, how }, index): Step => {
      const before = edges
        .slice(0, index)
        .flatMap((edge, step) => (edge === '' ? [] : [{ step, skip: edge === 'skip' }]));
      const on_error = how % 2 === 0 ? 'skip_dependents' : 'continue';
      if (index !== at) return commandStep(index, ['x'], { needs: before, on_error });
      return { ...gate(index, []), needs: [...before.filter(({ step }) => step !== 1), ...after(1)], on_error };
    });
    const last = commandStep(steps.length, ['last'], { needs: after(...steps.keys()), always: true });
    const failed: StepEnd = { status: 'error', failure: { type: 'command-failed', message: 'no' } };
    const unwanted: StepEnd = { status: 'skipped', reason: '`when` is false' };
    return {
      block: body([...steps, last]),
      ends: [...drawn.map(({ how }) => (how < 2 ? failed : how === 2 ? unwanted : made)), made],
    };
  });

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

  it('tells what has failed beside it, also what was only counted before', () => {
    const steps = Array.from({ length: 7 }, (_, index) =>
      commandStep(index, ['x'], { on_error: 'continue', needs: index > 0 && index < 4 ? after(0) : [] }),
    );
    const ends = steps.slice(0, 6).map(({ index }) => ({ step: index, skip: false }));
    const schedule = createSchedule(body([...steps, { ...gate(7, []), needs: ends, rework: { step: 0, max: 1 } }]));
    for (const { index } of steps)
      end(schedule, index, { status: 'error', failure: { type: 'internal', message: `m${index}` } });
    expect(errorOf(schedule)).toMatch(/^0: m0\n1: m1\n[^]*\n… and 2 more failed steps$/);
    end(schedule, 7, rejected);
    const kept = steps.filter(({ index }) => schedule.steps[index]?.status === 'error').map(({ index }) => index);
    expect(kept).toEqual([4, 5, 6]);
    expect(errorOf(schedule)).toBe(kept.map((index) => `${index}: m${index}`).join('\n'));
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
    const ends = (index: number, how: StepEnd): void => end(schedule, index, { ...how, spend });
    ends(0, { status: 'error', failure: { type: 'command-failed', message: 'no facts' } });
    ends(1, made);
    ends(2, { status: 'timeout', failure: { type: 'timeout', message: 'too late' } });
    expect([lettersOf(schedule), schedule.open, errorOf(schedule)]).toEqual(['estp', 1, '0: no facts\n2: too late']);
    ends(3, rejected);
    expect([lettersOf(schedule), schedule.open, errorOf(schedule), schedule.spend.usd]).toEqual([
      'eppp',
      3,
      '0: no facts',
      4,
    ]);
    expect([schedule.failures.count, [...schedule.ready], [...schedule.running]]).toEqual([1, [1], []]);
    ends(1, made);
    ends(2, made);
    ends(3, made);
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

  it('skips again what something else dooms, also what ran when it was sent back', () => {
    const tests: StepEnd = { status: 'error', failure: { type: 'command-failed', message: 'red' } };
    const block = body([
      commandStep(0, ['tests'], { on_error: 'skip_dependents' }),
      commandStep(1, ['draft'], { on_error: 'skip_dependents' }),
      gate(2, [1]),
      commandStep(3, ['ship'], { needs: needs(0, 2) }),
      commandStep(4, ['side'], { needs: needs(1) }),
    ]);
    const schedule = createSchedule(block);
    end(schedule, 0, tests);
    end(schedule, 1, made);
    startStep(schedule, 4);
    end(schedule, 2, rejected);
    end(schedule, 1, tests);
    endStep(schedule, 4, { status: 'error', failure: { type: 'cancelled', message: 'cancelled' } });
    expect(lettersOf(schedule)).toBe('eekkk');
    expect(schedule.steps.slice(3).map(({ reason }) => reason)).toEqual([
      'skipped because `0` did not succeed',
      'skipped because `1` did not succeed',
    ]);
  });

  it('comes to what it would have come to at once, however often it is sent back, and wherever it is cut', () => {
    fc.assert(
      fc.property(drawnBlocks, fc.array(fc.nat(), { maxLength: 60 }), ({ block, ends }, choices) => {
        const play = (rejections: number, from: number[]): string => {
          const [left, turns] = [{ rejections }, [...from]];
          let schedule = createSchedule(block);
          for (;;) {
            const turn = turns.shift() ?? 0;
            const started = [...schedule.running];
            const ready = [...schedule.ready];
            for (const { index, needs: before } of block.steps)
              if (schedule.steps[index]?.status === 'pending')
                expect(schedule.blockers[index]).toBe(before.filter(({ step }) => !hasEnded(schedule, step)).length);
            if (ready.length > 0 && (started.length === 0 || turn % 3 > 0)) {
              startStep(schedule, ready[turn % ready.length]!);
              continue;
            }
            if (started.length === 0) {
              expect(schedule.open).toBe(0);
              return lettersOf(schedule);
            }
            const index = started[turn % started.length]!;
            const isRejected = block.steps[index]?.kind === 'approval' && left.rejections-- > 0;
            endStep(schedule, index, isRejected ? rejected : ends[index]!);
            if (schedule.running.size === 0 && turn % 2 > 0) schedule = restoreSchedule(block, carrySchedule(schedule));
          }
        };
        expect(play(2, choices)).toBe(play(0, []));
      }),
    );
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
