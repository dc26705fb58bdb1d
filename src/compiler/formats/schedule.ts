import { z } from 'zod';
import type { CalendarField } from '../../plan/triggers/schedule.js';
import { CALENDAR_FIELDS, OVERLAPS } from '../../plan/triggers/schedule.js';
import { fieldPhrase, readField } from './calendar/calendar-field.js';
import { readCron } from './calendar/cron.js';
import { duration, id, millisecondsOf, template } from './values.js';

const cronText = z.string({ error: 'a cron, such as `0 2 * * 1-5`' }).superRefine((written, context) => {
  const read = readCron(written);
  if ('expected' in read) context.addIssue({ code: 'custom', message: read.expected });
});

const crons = z.union([cronText, z.array(cronText).min(1, { error: 'at least one cron' })], {
  error: 'a cron, or a list of them',
});

/** One part of a calendar: a number, a text as in a cron, or a list of both. */
function part(field: CalendarField) {
  const expected = `${fieldPhrase(field)}, a range \`a-b\`, \`*/n\`, or a list of these`;
  const one = z
    .union([z.number(), z.string()], { error: expected })
    .refine((written) => readField(field, String(written)) !== null, { error: expected });
  return z.union([one, z.array(one).min(1, { error: expected })], { error: expected }).optional();
}

const calendar = z
  .strictObject(
    {
      hour: part('hour').describe('Hours; 0 when left out.'),
      minute: part('minute').describe('Minutes; 0 when left out.'),
      second: part('second').describe('Seconds; 0 when left out.'),
      day_of_week: part('day_of_week').describe('Days of the week, 0 to 7 or names; every one when left out.'),
      day_of_month: part('day_of_month').describe('Days of the month; every one when left out.'),
      month: part('month').describe('Months, 1 to 12 or names; every one when left out.'),
      year: part('year').describe('Years; every one when left out.'),
    },
    { error: `a map with ${Object.keys(CALENDAR_FIELDS).join(', ')}` },
  )
  .refine((written) => Object.keys(written).length > 0, {
    error: 'at least one of hour, minute, day_of_week and so on',
  });

const moment = z
  .string({ error: 'a time with its zone, such as `2026-12-31T23:59:00Z`' })
  .refine((written) => z.iso.datetime({ offset: true }).safeParse(written).success, {
    error: 'a time with its zone, such as `2026-12-31T23:59:00Z`',
  });

const interval = duration.refine((written) => millisecondsOf(written) % 1000 === 0, {
  error: 'a duration of whole seconds, such as `15m`',
});

/** What a started run is given; texts may hold `${event.…}`. */
export const triggerInputs = z.record(id, template, { error: 'a map from names of inputs to values' });

/** When runs of a workflow start by themselves. */
export const scheduleKey = z.union(
  [
    cronText,
    z
      .strictObject({
        cron: crons.optional().describe('Moments as crontabs write them: minute, hour, day, month, day of the week.'),
        calendar: z
          .union([calendar, z.array(calendar).min(1, { error: 'at least one calendar' })], {
            error: 'a map of hour, minute and so on, or a list of them',
          })
          .optional()
          .describe('Moments by their parts.'),
        every: interval.optional().describe('An interval, counted from 1970: every 15m is on each quarter of an hour.'),
        offset: interval.optional().describe('How much later than that.'),
        zone: z
          .string({ error: 'the name of a time zone' })
          .optional()
          .describe('The time zone of cron and calendar, such as `Europe/Berlin`; UTC when left out.'),
        jitter: duration.optional().describe('Each run starts up to so much later, by chance.'),
        overlap: z
          .enum(OVERLAPS, { error: `one of ${OVERLAPS.join(', ')}` })
          .optional()
          .describe('What happens while the run before is open; skip when left out.'),
        catch_up: duration
          .optional()
          .describe(
            'What was missed while no server ran is made up for if it was due no longer ago; 10m when left out.',
          ),
        starts: moment.optional().describe('No run before.'),
        ends: moment.optional().describe('No run after.'),
        inputs: triggerInputs.optional().describe('What each run is given; `${event.time}` is when it was due.'),
      })
      .refine(({ cron, calendar: calendars, every }) => (cron ?? calendars ?? every) !== undefined, {
        error: 'one of cron, calendar and every',
      })
      .refine(({ offset, every }) => offset === undefined || every !== undefined, { error: '`every` beside `offset`' }),
  ],
  { error: 'a cron, or a map with cron, calendar or every' },
);

export type AuthoredSchedule = z.infer<typeof scheduleKey>;
