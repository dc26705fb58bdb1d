import { describe, expect, it } from 'vitest';
import type { StepEnd } from '../../../src/plan/schedule/schedule-state.js';
import {
  addFailure,
  createSchedule,
  endOf,
  endStep,
  errorOf,
  holdsSlot,
  lettersOf,
  resultOf,
  skipPending,
  startStep,
  statusesFrom,
  stepStatusOf,
} from '../../../src/plan/schedule/schedule.js';
import type { OnError, Step } from '../../../src/plan/step.js';
import { inline } from '../../../src/plan/values/value.js';
import { carrySchedule, restoreSchedule } from '../../../src/plan/schedule/carried-schedule.js';
import { after, body, commandStep, needs } from '../helpers/build-plan.js';

const success: StepEnd = { status: 'success', output: inline('done') };
const failed: StepEnd = { status: 'error', failure: { type: 'command-failed', message: 'exit 1' } };

describe('the scheduler', () => {
  it('starts what needs nothing, and each step once all it needs has ended', () => {
    const schedule = createSchedule(
      body([commandStep(0, ['a']), commandStep(1, ['b']), commandStep(2, ['c'], { needs: needs(0, 1) })]),
    );
    expect([...schedule.ready]).toEqual([0, 1]);
    startStep(schedule, 0);
    endStep(schedule, 0, success);
    expect([...schedule.ready]).toEqual([1]);
    startStep(schedule, 1);
    endStep(schedule, 1, success);
    expect([...schedule.ready]).toEqual([2]);
  });

  const table: { on_error: OnError; letters: string; end: string; edges: 'needs' | 'after' }[] = [
    { on_error: 'stop', edges: 'needs', letters: 'ekkk', end: 'error' },
    { on_error: 'skip_dependents', edges: 'needs', letters: 'ekks', end: 'partial' },
    { on_error: 'skip_dependents', edges: 'after', letters: 'esss', end: 'partial' },
    { on_error: 'continue', edges: 'needs', letters: 'esss', end: 'partial' },
  ];
  it.each(table)(
    'after a failure with on_error $on_error and edges by $edges the statuses are $letters and the run ends in $end',
    ({ on_error, edges, letters, end }) => {
      const edge = edges === 'needs' ? needs : after;
      const schedule = createSchedule(
        body([
          commandStep(0, ['a'], { on_error }),
          commandStep(1, ['b'], { needs: edge(0) }),
          commandStep(2, ['c'], { needs: edge(1) }),
          commandStep(3, ['d']),
        ]),
      );
      startStep(schedule, 0);
      endStep(schedule, 0, failed);
      for (let next = first(schedule.ready); next !== undefined; next = first(schedule.ready)) {
        startStep(schedule, next);
        endStep(schedule, next, success);
      }
      expect(lettersOf(schedule)).toBe(letters);
      expect(endOf(schedule)).toBe(end);
    },
  );

  it.each<[what: string, work: StepEnd[], cleared: StepEnd, end: string]>([
    ['only what clears up has succeeded', [failed], success, 'error'],
    ['something else has succeeded too', [failed, success], success, 'partial'],
    ['only what clears up has failed', [success, success], failed, 'partial'],
    ['all has failed', [failed], failed, 'error'],
  ])('ends a run in which %s', (_what, work, cleared, end) => {
    const steps = work.map((_, index) => commandStep(index, ['a'], { on_error: 'continue' }));
    const last = commandStep(steps.length, ['c'], { needs: after(...work.keys()), always: true, on_error: 'continue' });
    const schedule = createSchedule(body([...steps, last]));
    for (const [index, how] of [...work, cleared].entries()) {
      startStep(schedule, index);
      endStep(schedule, index, how);
    }
    expect([endOf(schedule), endOf(restoreSchedule(schedule.body, carrySchedule(schedule)))]).toEqual([end, end]);
  });

  it('skips a dependent only after everything it needs has ended, so that what comes after it waits too', () => {
    const schedule = createSchedule(
      body([
        commandStep(0, ['a'], { on_error: 'skip_dependents' }),
        commandStep(1, ['b']),
        commandStep(2, ['c'], { needs: [...needs(0), ...after(1)] }),
        commandStep(3, ['d'], { needs: after(2) }),
      ]),
    );
    startStep(schedule, 0);
    startStep(schedule, 1);
    endStep(schedule, 0, failed);
    expect(lettersOf(schedule)).toBe('erpp');
    endStep(schedule, 1, success);
    expect(lettersOf(schedule)).toBe('eskp');
    expect([...schedule.ready]).toEqual([3]);
  });

  it('ends in error when nothing succeeded, although the run went on', () => {
    const schedule = createSchedule(body([commandStep(0, ['a'], { on_error: 'continue' })]));
    startStep(schedule, 0);
    endStep(schedule, 0, failed);
    expect(endOf(schedule)).toBe('error');
    expect(errorOf(schedule)).toBe('0: exit 1');
  });

  it('tells the first failures in full and counts the others', () => {
    const steps = Array.from({ length: 8 }, (_, index) => commandStep(index, ['a'], { on_error: 'continue' }));
    const schedule = createSchedule(body(steps));
    steps.forEach(({ index }) => {
      startStep(schedule, index);
      endStep(schedule, index, failed);
    });
    expect(errorOf(schedule)?.split('\n')).toEqual([
      '0: exit 1',
      '1: exit 1',
      '2: exit 1',
      '3: exit 1',
      '4: exit 1',
      '… and 3 more failed steps',
    ]);
  });

  it('does not count what was cancelled as a failure of its own', () => {
    const schedule = createSchedule(body([commandStep(0, ['a']), commandStep(1, ['b'])]));
    startStep(schedule, 0);
    startStep(schedule, 1);
    endStep(schedule, 0, failed);
    endStep(schedule, 1, {
      status: 'error',
      failure: { type: 'cancelled', message: 'cancelled: `0` failed and stops the run' },
    });
    expect(errorOf(schedule)).toBe('0: exit 1');
  });

  it('gives results in the documented words, and none before a step has ended', () => {
    const schedule = createSchedule(
      body([commandStep(0, ['git', 'log'], { id: 'facts' }), commandStep(1, ['b'], { needs: needs(0) })]),
    );
    startStep(schedule, 0);
    expect(resultOf(schedule, 0, {})).toBeNull();
    endStep(schedule, 0, { ...failed, duration_ms: 7, attempts: 2 });
    expect(resultOf(schedule, 0, {})).toMatchObject({
      status: 'error',
      output: null,
      error: 'exit 1',
      duration_ms: 7,
      agent: 'git',
      step_index: 0,
      id: 'facts',
      attempts: 2,
    });
    expect(resultOf(schedule, 1, {})).toMatchObject({ status: 'skipped', error: 'stopped because `facts` failed' });
  });

  it('skips everything that has not started, and leaves what runs to end', () => {
    const schedule = createSchedule(body([commandStep(0, ['a']), commandStep(1, ['b'])]));
    startStep(schedule, 0);
    skipPending(schedule, 'skipped: the run was cancelled');
    expect(lettersOf(schedule)).toBe('rk');
    expect(schedule.open).toBe(1);
  });

  it('skips nothing that clears up, and lets it go on', () => {
    const schedule = createSchedule(
      body([
        commandStep(0, ['a']),
        commandStep(1, ['b'], { needs: needs(0) }),
        commandStep(2, ['clear'], { needs: after(1), always: true }),
      ]),
    );
    skipPending(schedule, 'cancelled');
    expect(lettersOf(schedule)).toBe('kkp');
    expect([...schedule.ready]).toEqual([2]);
    expect(resultOf(schedule, 1, {})).toMatchObject({ error: 'cancelled' });
  });

  it('stops at a timeout as at a failure, and by the first of them alone', () => {
    const schedule = createSchedule(body([commandStep(0, ['a']), commandStep(1, ['b']), commandStep(2, ['c'])]));
    for (const index of [0, 1]) startStep(schedule, index);
    endStep(schedule, 1, { status: 'timeout', failure: { type: 'timeout', message: 'late' } });
    endStep(schedule, 0, failed);
    expect(schedule.stopped).toBe(1);
    expect(errorOf(schedule)).toBe('1: late\n0: exit 1');
    expect(resultOf(schedule, 2, {})).toMatchObject({ status: 'skipped', error: 'stopped because `1` failed' });
  });

  it('is not stopped by what was cancelled, but what follows still waits for it', () => {
    const schedule = createSchedule(body([commandStep(0, ['a']), commandStep(1, ['b'])]));
    startStep(schedule, 0);
    endStep(schedule, 0, { status: 'error', failure: { type: 'cancelled', message: 'cancelled' } });
    expect([schedule.stopped, errorOf(schedule), lettersOf(schedule)]).toEqual([null, null, 'ep']);
  });

  it('says why a dependent was skipped', () => {
    const schedule = createSchedule(
      body([
        commandStep(0, ['a'], { id: 'first', on_error: 'skip_dependents' }),
        commandStep(1, ['b'], { id: 'next', needs: needs(0) }),
        commandStep(2, ['c'], { needs: needs(1) }),
      ]),
    );
    startStep(schedule, 0);
    endStep(schedule, 0, failed);
    expect([1, 2].map((index) => resultOf(schedule, index, {})?.error)).toEqual([
      'skipped because `first` did not succeed',
      'skipped because `next` did not succeed',
    ]);
  });

  it('counts a partial success as one with a failure below, and carries who decided', () => {
    const schedule = createSchedule(body([commandStep(0, ['a']), commandStep(1, ['b'])]));
    for (const index of [0, 1]) startStep(schedule, index);
    endStep(schedule, 0, { ...success, partial: '1 of 2 items failed' });
    endStep(schedule, 1, { ...success, decided_by: ['ana'] });
    expect([endOf(schedule), errorOf(schedule)]).toEqual(['partial', '0: 1 of 2 items failed']);
    expect(resultOf(schedule, 0, {})).not.toHaveProperty('decided_by');
    expect(resultOf(schedule, 1, {})).toHaveProperty('decided_by', ['ana']);
  });

  it('adds up what ended steps have spent', () => {
    const schedule = createSchedule(body([commandStep(0, ['a']), commandStep(1, ['b'])]));
    for (const index of [0, 1]) startStep(schedule, index);
    endStep(schedule, 0, { ...success, spend: { usd: 1, tokens: 2, steps: 1 } });
    endStep(schedule, 1, { ...failed, spend: { usd: 3, tokens: 4, steps: 1 } });
    expect(schedule.spend).toEqual({ usd: 4, tokens: 6, steps: 2 });
  });

  it('has a step of every number, and refuses one that it has not', () => {
    expect(() => startStep(createSchedule(body([commandStep(0, ['a'])])), 1)).toThrow('The plan has no step 1');
  });

  it.each([
    ['success', 'success'],
    ['partial', 'success'],
    ['timeout', 'timeout'],
    ['error', 'error'],
    ['cancelled', 'error'],
  ] as const)('a nested run that ended in %s makes its step a %s', (end, status) => {
    expect(stepStatusOf(end)).toBe(status);
  });

  it('gives slots to what runs an activity, and to nothing that waits for others', () => {
    const kinds = [
      'agent',
      'command',
      'tool',
      'compile',
      'workflow',
      'approval',
      'ask',
      'wait',
      'set',
      'foreach',
      'loop',
      'flash',
    ] as const;
    expect(kinds.filter((kind) => holdsSlot({ kind } as Step))).toEqual(['agent', 'command', 'tool', 'compile']);
  });

  it('tells five failures and no sixth', () => {
    const failures = { count: 0, first: [] as string[] };
    for (let index = 0; index < 6; index += 1) addFailure(failures, `${index}`);
    expect(failures).toEqual({ count: 6, first: ['0', '1', '2', '3', '4'] });
  });

  it('reads statuses back from their letters and refuses letters that are none', () => {
    expect(
      statusesFrom('prsetkl').map(({ status, partial }) => `${status}${partial === null ? '' : ', partial'}`),
    ).toEqual(['pending', 'running', 'success', 'error', 'timeout', 'skipped', 'success, partial']);
    expect(() => statusesFrom('x')).toThrow('Expected a status letter, got `x`');
  });
});

function first(set: Set<number>): number | undefined {
  return set.values().next().value;
}
