import type { Calendar, CalendarField } from '../../../plan/triggers/schedule.js';
import { fieldPhrase, readField, whole } from './calendar-field.js';
import { ownOf } from '../../../plan/values/own.js';

/** The fields of a cron, in their order. */
const FIELDS = ['minute', 'hour', 'day_of_month', 'month', 'day_of_week'] as const;

const WORDS: Record<string, string> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
};

/**
 * The moments of a cron, as crontabs mean it: where both the day of the month and that of the week are said, either
 * will do. What was expected, where it is none.
 */
export function readCron(written: string): { calendars: Calendar[] } | { expected: string } {
  const fields = (ownOf(WORDS, written.trim()) ?? written).trim().split(/\s+/);
  if (fields.length !== FIELDS.length)
    return { expected: 'a cron of five fields: minute, hour, day of the month, month, day of the week' };
  const calendar: Calendar = anyMoment();
  for (const [index, field] of FIELDS.entries()) {
    const ranges = readField(field, fields[index] ?? '');
    if (ranges === null) {
      const name = field.replaceAll('_', ' ');
      return {
        expected: `a cron whose field ${index + 1} (${name}, now \`${fields[index] ?? ''}\`) is ${fieldPhrase(field)}`,
      };
    }
    calendar[field] = ranges;
  }
  const [, , days = '', , weekdays = ''] = fields;
  if (days.startsWith('*') || weekdays.startsWith('*')) return { calendars: [calendar] };
  return {
    calendars: [
      { ...calendar, day_of_week: whole('day_of_week') },
      { ...calendar, day_of_month: whole('day_of_month') },
    ],
  };
}

/** The first second of any minute. */
function anyMoment(): Calendar {
  const at = (field: CalendarField): Calendar[CalendarField] => whole(field);
  return {
    second: [{ start: 0, end: 0, step: 1 }],
    minute: at('minute'),
    hour: at('hour'),
    day_of_month: at('day_of_month'),
    month: at('month'),
    day_of_week: at('day_of_week'),
    year: at('year'),
  };
}
