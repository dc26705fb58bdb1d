import type { Calendar, CalendarField, NumberRange, Schedule } from '../../plan/triggers/schedule.js';
import { CALENDAR_FIELDS } from '../../plan/triggers/schedule.js';
import { readField, whole } from '../formats/calendar/calendar-field.js';
import { readCron } from '../formats/calendar/cron.js';
import type { AuthoredSchedule } from '../formats/schedule.js';
import { millisecondsOf } from '../formats/values.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { Report } from '../problems/problem.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';

/** What was missed by a restart is made up for; what was missed by a closed laptop is not, unless somebody says so. */
const CATCH_UP_MS = 600_000;
/** The server takes no shorter one. */
const LEAST_CATCH_UP_MS = 10_000;
/** How many days a month has; February in other than leap years. */
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

type Written = Exclude<AuthoredSchedule, string>;

/** A schedule in normal form: every cron has become calendars. What is wrong with it is reported. */
export function compileSchedule(
  authored: AuthoredSchedule,
  node: Node,
  inputs: Schedule['inputs'],
  report: Report,
): Schedule {
  const written: Written = typeof authored === 'string' ? { cron: authored } : authored;
  const { zone = 'UTC', every, offset, jitter, overlap = 'skip', catch_up, starts, ends } = written;
  checkZone(zone, memberOf(node, 'zone'), report);
  checkBounds(written, node, report);
  const crons = listOf(written.cron);
  const calendars = listOf(written.calendar);
  for (const cron of crons) checkDays(calendarsOf(cron), cron, memberOf(node, 'cron') ?? node, report);
  for (const one of calendars)
    checkDays([toCalendar(one)], calendarText(one), memberOf(node, 'calendar') ?? node, report);
  return {
    written: [...crons, ...calendars.map(calendarText), ...(every === undefined ? [] : [`every ${every}`])],
    calendars: [...crons.flatMap(calendarsOf), ...calendars.map(toCalendar)],
    intervals:
      every === undefined
        ? []
        : [{ every_ms: millisecondsOf(every), offset_ms: offset === undefined ? 0 : millisecondsOf(offset) }],
    zone,
    jitter_ms: jitter === undefined ? 0 : millisecondsOf(jitter),
    overlap,
    catch_up_ms: Math.max(LEAST_CATCH_UP_MS, catch_up === undefined ? CATCH_UP_MS : millisecondsOf(catch_up)),
    starts: starts === undefined ? null : new Date(starts).toISOString(),
    ends: ends === undefined ? null : new Date(ends).toISOString(),
    inputs,
  };
}

function listOf<T>(written: T | T[] | undefined): T[] {
  return written === undefined ? [] : Array.isArray(written) ? written : [written];
}

function calendarsOf(cron: string): Calendar[] {
  const read = readCron(cron);
  return 'calendars' in read ? read.calendars : [];
}

type WrittenCalendar = Exclude<NonNullable<Written['calendar']>, unknown[]>;

function toCalendar(written: WrittenCalendar): Calendar {
  const ranges = (field: CalendarField): Calendar[CalendarField] => {
    const said = written[field];
    if (said !== undefined) return listOf(said).flatMap((one) => readField(field, String(one)) ?? []);
    const { least } = CALENDAR_FIELDS[field];
    const isTime = field === 'second' || field === 'minute' || field === 'hour';
    return isTime ? [{ start: least, end: least, step: 1 }] : whole(field);
  };
  return {
    second: ranges('second'),
    minute: ranges('minute'),
    hour: ranges('hour'),
    day_of_month: ranges('day_of_month'),
    month: ranges('month'),
    day_of_week: ranges('day_of_week'),
    year: ranges('year'),
  };
}

function calendarText(written: WrittenCalendar): string {
  return Object.entries(written)
    .map(([field, said]) => `${field.replaceAll('_', ' ')} ${listOf(said).join(',')}`)
    .join(', ');
}

function checkZone(zone: string, at: Node | null, report: Report): void {
  if (at === null || isZone(zone)) return;
  report({
    code: 'invalid-value',
    at,
    message: `Expected the name of a time zone, such as \`Europe/Berlin\`, got \`${zone}\`.`,
    suggestion: didYouMean(zone, zonesLike(zone)),
  });
}

/** Those of the same continent, where there are some: there are hundreds of all. */
function zonesLike(zone: string): string[] {
  const all = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  const near = all.filter((one) => one.slice(0, 3).toLowerCase() === zone.slice(0, 3).toLowerCase());
  return near.length > 0 ? near : all;
}

/** Names of zones that stand for others are listed nowhere, and are taken in any letters here: what they begin with. */
const AREA = new RegExp(
  '^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|' +
    'Pacific|US)/',
);
/** Such names of one word. Other abbreviations, such as `PST`, are taken here, and the server knows none of them. */
const WORDS = new Set(
  (
    'CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran ' +
    'Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK ' +
    'Singapore Turkey UCT UTC Universal W-SU WET Zulu'
  ).split(' '),
);

/** The server knows a zone by its very name: in other letters, as an offset or as an abbreviation it knows none. */
function isZone(zone: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    if (timeZone === zone || timeZone.toLowerCase() === zone.toLowerCase()) return timeZone === zone;
    return WORDS.has(zone) || (AREA.test(zone) && zone.split('/').every((part) => /^[A-Z](?!\w*[A-Z]{4})/.test(part)));
  } catch {
    return false;
  }
}

/** A day that none of its months has would never come, and nobody would be told. */
function checkDays(calendars: Calendar[], written: string, at: Node, report: Report): void {
  if (calendars.length === 0 || calendars.some(hasDay)) return;
  report({ code: 'invalid-value', at, message: `Expected a day that one of its months has, got \`${written}\`.` });
}

function hasDay({ year, month, day_of_month: days }: Calendar): boolean {
  const first = Math.min(...days.map(({ start }) => start));
  const isIn = (ranges: NumberRange[], number: number): boolean =>
    ranges.some(({ start, end, step }) => number >= start && number <= end && (number - start) % step === 0);
  const { least, most } = CALENDAR_FIELDS.year;
  const years = Array.from({ length: most - least + 1 }, (_, index) => least + index);
  const leaps = years.some((one) => one % 4 === 0 && one % 100 !== 0 && isIn(year, one)) || isIn(year, 2000);
  return DAYS.some((longest, index) => first <= (index === 1 && leaps ? 29 : longest) && isIn(month, index + 1));
}

function checkBounds({ starts, ends, every, offset }: Written, node: Node, report: Report): void {
  const end = memberOf(node, 'ends');
  if (end !== null && starts !== undefined && ends !== undefined && Date.parse(ends) <= Date.parse(starts))
    report({ code: 'invalid-value', at: end, message: 'Expected `ends` to be after `starts`.' });
  const later = memberOf(node, 'offset');
  if (later !== null && every !== undefined && offset !== undefined && millisecondsOf(offset) >= millisecondsOf(every))
    report({ code: 'invalid-value', at: later, message: 'Expected `offset` to be shorter than `every`.' });
}
