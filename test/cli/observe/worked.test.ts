import { expect, it } from 'vitest';
import { assemble } from '../../../src/cli/observe/assemble.js';
import { applyEvent } from '../../../src/cli/observe/fold/fold.js';
import { workedMs } from '../../../src/cli/observe/worked.js';
import type { Pause } from '../../../src/plan/budget/steering.js';
import { foldOf, recordedEvents } from '../helpers/recorded.js';

const HOUR = 3_600_000;

it('a run is charged no time in which it is paused, or was, but for what went on meanwhile', () => {
  const { run, events } = recordedEvents('sequence');
  const fold = foldOf(run, events.slice(0, 1));
  const begun = Date.parse(fold.startedAt);
  const at = (hours: number): string => new Date(begun + hours * HOUR).toISOString();
  const hours = (until: number): number => {
    const view = assemble(fold, { folds: new Map([[run, fold]]), pending: new Map() });
    return workedMs(view, begun + until * HOUR) / HOUR;
  };
  const pauseAt = (since: string): Pause => ({ cause: 'request', run, message: 'paused by ana', by: 'ana', since });
  const path = fold.top.schedule.body.steps[0]?.id ?? '0';

  applyEvent(fold, { kind: 'step-started', path, activity: 'command', at: at(1) });
  applyEvent(fold, { kind: 'paused', pause: pauseAt(at(2)), at: at(2) });
  expect(hours(3)).toBe(3); // the step goes on
  applyEvent(fold, {
    ...{ kind: 'step-succeeded', path, at: at(4) },
    output: { output: { value: '' }, spend: { usd: 0, tokens: 0, steps: 1 }, note: null, reused: false },
  });
  expect([hours(4), hours(50)]).toEqual([4, 4]);
  applyEvent(fold, { kind: 'paused', pause: null, at: at(100) });
  expect([hours(100), hours(101)]).toEqual([4, 5]);
});
