import type { CalendarSpec, ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client';
import { DAYS_OF_WEEK, MONTHS } from '@temporalio/client';
import type { Calendar, NumberRange, Overlap, Schedule } from '../../plan/triggers/schedule.js';
import type { ScheduledCall } from '../../plan/triggers/start.js';
import { STARTER, STARTER_PREFIX } from '../../plan/triggers/start.js';

const OVERLAP: Record<Overlap, NonNullable<ScheduleOverlapPolicy>> = {
  skip: 'SKIP',
  buffer_one: 'BUFFER_ONE',
  buffer_all: 'BUFFER_ALL',
  cancel_other: 'CANCEL_OTHER',
  allow_all: 'ALLOW_ALL',
};

/** A schedule as the server takes it; its starts are `perdureStart` with this call. */
export function scheduleOptions(
  schedule: Schedule,
  call: ScheduledCall,
  { store, taskQueue }: { store: { id: string }; taskQueue: string },
): Pick<ScheduleOptions, 'spec' | 'action' | 'policies'> {
  const { calendars, intervals, zone, jitter_ms, overlap, catch_up_ms, starts, ends } = schedule;
  const { definition } = call.schedule;
  return {
    spec: {
      calendars: calendars.map(calendarSpec),
      intervals: intervals.map(({ every_ms, offset_ms }) => ({ every: every_ms, offset: offset_ms })),
      timezone: zone,
      ...(jitter_ms === 0 ? {} : { jitter: jitter_ms }),
      ...(starts === null ? {} : { startAt: new Date(starts) }),
      ...(ends === null ? {} : { endAt: new Date(ends) }),
    },
    action: {
      type: 'startWorkflow',
      workflowType: STARTER,
      workflowId: `${STARTER_PREFIX}${store.id}/${definition}`,
      taskQueue,
      args: [call],
      staticSummary: `starts ${definition}`,
    },
    policies: { overlap: OVERLAP[overlap], catchupWindow: catch_up_ms },
  };
}

function calendarSpec(calendar: Calendar): CalendarSpec {
  return {
    second: calendar.second,
    minute: calendar.minute,
    hour: calendar.hour,
    dayOfMonth: calendar.day_of_month,
    month: named(calendar.month, MONTHS, 1),
    year: calendar.year,
    dayOfWeek: named(calendar.day_of_week, DAYS_OF_WEEK, 0),
  };
}

/** The SDK takes names, and a range of them with its step. */
function named<N extends string>(ranges: NumberRange[], names: readonly N[], first: number) {
  return ranges.map(({ start, end, step }) => {
    // Ranges are within the field's numbers.
    const name = (number: number): N => names[number - first] as N;
    return { start: name(start), end: name(end), step };
  });
}
