import type { CalendarField, NumberRange } from '../../../plan/triggers/schedule.js';
import { CALENDAR_FIELDS } from '../../../plan/triggers/schedule.js';

const NAMES: Partial<Record<CalendarField, readonly string[]>> = {
  month: [
    'january',
    'february',
    'march',
    'april',
    'may',
    'june',
    'july',
    'august',
    'september',
    'october',
    'november',
    'december',
  ],
  day_of_week: ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
};

/** Every number that a part of a moment may be. */
export function whole(field: CalendarField): NumberRange[] {
  const { least, most } = CALENDAR_FIELDS[field];
  return [{ start: least, end: most, step: 1 }];
}

/**
 * Reads what a part of a moment may be, as crontabs write it: `*`, `5`, `1-5`, `mon-fri`, `*` or a range with `/2`, and
 * several of these with commas. Null for what is none of that.
 */
export function readField(field: CalendarField, written: string): NumberRange[] | null {
  const ranges = written.split(',').map((part) => readPart(field, part.trim()));
  return ranges.includes(null) ? null : ranges.flatMap((range) => range ?? []);
}

/** What `readField` expects of this part, for a message. */
export function fieldPhrase(field: CalendarField): string {
  const { least, most } = CALENDAR_FIELDS[field];
  const names = NAMES[field]?.[1]?.slice(0, 3);
  const numbers = `${least} to ${field === 'day_of_week' ? 7 : most}`;
  return names === undefined ? numbers : `${numbers} or names such as \`${names}\``;
}

function readPart(field: CalendarField, part: string): NumberRange[] | null {
  const [, from = '', to, stepped] = /^(\*|[0-9a-z]+)(?:-([0-9a-z]+))?(?:\/([0-9]{1,4}))?$/i.exec(part) ?? [];
  if (from === '') return null;
  const step = stepped === undefined ? 1 : Number(stepped);
  if (step < 1) return null;
  const { least, most } = CALENDAR_FIELDS[field];
  if (from === '*') return to === undefined ? [{ start: least, end: most, step }] : null;
  const start = numberOf(field, from);
  const end = to !== undefined ? endOf(field, to, start) : stepped === undefined ? start : most;
  if (start === null || end === null || end < start) return null;
  return field === 'day_of_week' ? inWeek({ start, end, step }) : [{ start, end, step }];
}

/** A week that is written out ends with its Sunday: `sat-sun`. */
function endOf(field: CalendarField, to: string, start: number | null): number | null {
  const end = numberOf(field, to);
  return field === 'day_of_week' && end === 0 && start !== 0 && /^[a-z]/i.test(to) ? 7 : end;
}

/** Sunday is 0 and 7. */
function inWeek({ start, end, step }: NumberRange): NumberRange[] {
  const sunday = end === 7 && (7 - start) % step === 0 ? [{ start: 0, end: 0, step: 1 }] : [];
  const rest = start === 7 ? [] : [{ start, end: Math.min(end, 6), step }];
  return [...rest, ...sunday];
}

function numberOf(field: CalendarField, word: string): number | null {
  const { least, most } = CALENDAR_FIELDS[field];
  if (/^[0-9]+$/.test(word)) {
    const number = Number(word);
    return number >= least && number <= (field === 'day_of_week' ? 7 : most) ? number : null;
  }
  const names = NAMES[field] ?? [];
  const at = word.length < 3 ? -1 : names.findIndex((name) => name.startsWith(word.toLowerCase()));
  return at === -1 ? null : at + least;
}
