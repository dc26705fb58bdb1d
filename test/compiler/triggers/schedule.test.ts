import { describe, expect, it } from 'vitest';
import { readCron } from '../../../src/compiler/formats/calendar/cron.js';
import type { Schedule } from '../../../src/plan/triggers/schedule.js';
import { brief, compileText, problemsOf } from '../helpers/temporary-project.js';

const workflow = (schedule: string, more = ''): string =>
  `name: nightly\n${more}schedule: ${schedule}\nsteps:\n  - command: [echo, hello]\n`;
function scheduleOf(schedule: string, more = ''): Schedule {
  const { triggers, problems } = compileText(workflow(schedule, more));
  if (triggers.schedule === undefined) throw new Error(problems.map(brief).join('; '));
  return triggers.schedule;
}
/** What is wrong with a schedule, as a person reads it. */
const wrong = (schedule: string, more = ''): string[] =>
  compileText(workflow(schedule, more))
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ code, line, message }) => `${code} ${line} ${message}`);

describe('a cron', () => {
  const numbers = (cron: string, field: 'minute' | 'hour' | 'month' | 'day_of_week'): string => {
    const read = readCron(cron);
    if ('expected' in read) return read.expected;
    return (read.calendars[0]?.[field] ?? []).map(({ start, end, step }) => `${start}-${end}/${step}`).join(' ');
  };

  it('is read as crontabs mean it: numbers, names, ranges, steps and lists', () => {
    expect(numbers('5,10-20/5 * * * *', 'minute')).toBe('5-5/1 10-20/5');
    expect(numbers('*/15 * * * *', 'minute')).toBe('0-59/15');
    expect(numbers('30/10 * * * *', 'minute')).toBe('30-59/10');
    expect(numbers('0 0 * jan-MAR *', 'month')).toBe('1-3/1');
    expect(numbers('0 0 * * mon-fri', 'day_of_week')).toBe('1-5/1');
    expect(numbers('0 0 * * 5-7', 'day_of_week')).toBe('5-6/1 0-0/1');
    expect(numbers('0 0 * * 7', 'day_of_week')).toBe('0-0/1');
    expect(numbers('0 0 * * sat-sun', 'day_of_week')).toBe('6-6/1 0-0/1');
    expect(numbers('0 0 * * mon-sunday', 'day_of_week')).toBe('1-6/1 0-0/1');
    expect(numbers('@daily', 'hour')).toBe('0-0/1');
  });

  it('means either of two days that are both said, and is one calendar otherwise', () => {
    const calendars = (cron: string): unknown => (readCron(cron) as { calendars: unknown[] }).calendars.length;
    expect(calendars('0 0 13 * fri')).toBe(2);
    expect(calendars('0 0 * * fri')).toBe(1);
    expect(calendars('0 0 */2 * fri')).toBe(1);
  });

  it('is refused with the field that is wrong', () => {
    expect(readCron('0 2 * *')).toEqual({
      expected: 'a cron of five fields: minute, hour, day of the month, month, day of the week',
    });
    for (const cron of ['60 * * * *', '-1 * * * *', '5-1 * * * *', '*/0 * * * *', 'x * * * *', '*-5 * * * *'])
      expect(readCron(cron)).toMatchObject({ expected: expect.stringContaining('field 1 (minute') as string });
    expect(readCron('0 0 * foo *')).toEqual({
      expected: 'a cron whose field 4 (month, now `foo`) is 1 to 12 or names such as `feb`',
    });
  });
});

describe('what would never come, or not as it is written', () => {
  it.each([
    '{every: 15m, offset: 1500ms}',
    '{calendar: {day_of_month: 29, month: feb, year: 2027}}',
    '{calendar: {day_of_month: 29, month: feb, year: [2027, 2100]}}',
    '"0 0 31 feb *"',
  ])('is refused: %s', (schedule) => {
    expect(wrong(schedule)).toEqual([expect.stringContaining('invalid-value 2')]);
  });

  it.each([
    '{calendar: {day_of_month: 29, month: feb, year: 2027-2028}}',
    '"0 0 29 feb *"',
    '{every: 15m, offset: 2s}',
  ])('is not this: %s', (schedule) => {
    expect(wrong(schedule)).toEqual([]);
  });

  it('is no moment of a day that there is not', () => {
    const until = (day: string): string[] => problemsOf(`steps:\n  - {wait: {until: "${day}T08:00:00Z"}}\n`);
    expect(until('2027-02-28')).toEqual([]);
    expect(until('2028-02-29')).toEqual([]);
    expect(until('2027-02-29')).toEqual(['2:20 invalid-value']);
    expect(until('2027-04-31')).toEqual(['2:20 invalid-value']);
  });
});

describe('a schedule', () => {
  it('is a cron alone, or says more; what it does not say has its default', () => {
    expect(scheduleOf('"0 2 * * *"')).toMatchObject({
      written: ['0 2 * * *'],
      zone: 'UTC',
      overlap: 'skip',
      jitter_ms: 0,
      catch_up_ms: 600_000,
      starts: null,
      ends: null,
    });
    expect(
      scheduleOf(
        '{every: 15m, offset: 1m, zone: Europe/Berlin, jitter: 30s, overlap: buffer_one, catch_up: 2h, ' +
          'starts: "2026-01-01T00:00:00+01:00", ends: "2027-01-01T00:00:00Z"}',
      ),
    ).toMatchObject({
      written: ['every 15m'],
      intervals: [{ every_ms: 900_000, offset_ms: 60_000 }],
      zone: 'Europe/Berlin',
      jitter_ms: 30_000,
      overlap: 'buffer_one',
      catch_up_ms: 7_200_000,
      starts: '2025-12-31T23:00:00.000Z',
      ends: '2027-01-01T00:00:00.000Z',
    });
  });

  it('has calendars by their parts, at midnight where no hour is said', () => {
    const { calendars, written } = scheduleOf('{calendar: [{day_of_week: [monday, 3]}, {hour: 6-8, minute: 30}]}');
    expect(written).toEqual(['day of week monday,3', 'hour 6-8, minute 30']);
    expect(calendars).toMatchObject([
      {
        hour: [{ start: 0, end: 0 }],
        day_of_week: [
          { start: 1, end: 1 },
          { start: 3, end: 3 },
        ],
      },
      { hour: [{ start: 6, end: 8 }], minute: [{ start: 30, end: 30 }], day_of_week: [{ start: 0, end: 6 }] },
    ]);
  });

  it('is no part of the Plan', () => {
    const { plan } = compileText(workflow('"0 2 * * *"'));
    expect(plan?.hash).toBe(compileText('name: nightly\nsteps:\n  - command: [echo, hello]\n').plan?.hash);
  });

  it.each([
    ['"0 25 * * *"', 'field 2 (hour, now `25`)'],
    ['{}', 'Expected one of cron, calendar and every'],
    ['{every: 1500ms}', 'whole seconds'],
    ['{every: 15m, offset: 20m}', 'Expected `offset` to be shorter than `every`.'],
    ['{cron: "@daily", offset: 20m}', '`every` beside `offset`'],
    ['{cron: "@daily", overlap: terminate}', 'one of skip, buffer_one'],
    ['{cron: "@daily", ends: 2026-12-31}', 'a time with its zone'],
    ['{cron: "@daily", starts: "2027-01-01T00:00:00Z", ends: "2026-01-01T00:00:00Z"}', 'after `starts`'],
    ['{calendar: {hour: 24}}', '0 to 23'],
    ['"0 0 31 feb,4,jun *"', 'Expected a day that one of its months has, got `0 0 31 feb,4,jun *`.'],
    ['{cron: ["@daily", "0 0 30-31 2 *"]}', 'got `0 0 30-31 2 *`.'],
    ['{calendar: {day_of_month: 31, month: "4-11/5"}}', 'got `day of month 31, month 4-11/5`.'],
    ['{every: 0s}', 'a duration above 0'],
    ['{calendar: {}}', 'at least one of hour'],
    ['5', 'a cron, or a map with cron, calendar or every'],
  ])('is refused where it is wrong: %s', (schedule, told) => {
    expect(wrong(schedule)).toEqual([expect.stringContaining(told)]);
    expect(wrong(schedule)[0]).toMatch(/^invalid-value 2 /);
  });

  it.each(['"0 0 29 2 *"', '"0 0 31 feb fri"', '"0 0 31 */2 *"', '{calendar: {day_of_month: 30-31, month: [2, 6]}}'])(
    'is taken where a day of it comes at all: %s',
    (schedule) => {
      expect(wrong(schedule)).toEqual([]);
    },
  );

  it('names a zone that there is, or is told which is near', () => {
    const { problems } = compileText(workflow('{cron: "@daily", zone: Europe/Berlinn}'));
    expect(problems).toMatchObject([{ code: 'invalid-value', suggestion: 'did you mean `Europe/Berlin`?' }]);
    for (const [zone, near] of [
      ['europe/berlin', 'Europe/Berlin'],
      ['utc', 'UTC'],
    ])
      expect(compileText(workflow(`{cron: "@daily", zone: ${zone}}`)).problems).toMatchObject([
        { code: 'invalid-value', suggestion: `did you mean \`${near}\`?` },
      ]);
    for (const zone of ['"+01:00"', 'us/pacific', 'Us/Pacific', 'US/PACIFIC', 'US/pacific', 'Est', 'est5edt', '""'])
      expect(problemsOf(workflow(`{cron: "@daily", zone: ${zone}}`))).toEqual(['2:34 invalid-value']);
    const known = 'US/Pacific US/East-Indiana EST5EDT Etc/GMT+5 Asia/Kolkata America/Port-au-Prince UTC GB Zulu'.split(
      ' ',
    );
    for (const zone of [...known, 'Australia/ACT', 'America/Argentina/ComodRivadavia', 'GMT0', 'Mexico/BajaNorte'])
      expect(problemsOf(workflow(`{cron: "@daily", zone: ${zone}}`))).toEqual([]);
  });

  it('names no zone by an abbreviation that the server has no file of', () => {
    const { problems } = compileText(workflow('{cron: "@daily", zone: PST}'));
    expect(problems).toMatchObject([
      { code: 'invalid-value', message: expect.stringContaining('got `PST`') as string },
    ]);
    for (const zone of 'IST JST BST CST AST ACT MIT ECT NST VST CTT CNT AGT BET CAT ART EAT NET PLT SST PNT IET'.split(
      ' ',
    ))
      expect(problemsOf(workflow(`{cron: "@daily", zone: ${zone}}`))).toEqual(['2:34 invalid-value']);
    const known = 'CET CST6CDT EET EST EST5EDT GB GB-Eire GMT GMT0 GMT+0 GMT-0 HST MET MST MST7MDT NZ NZ-CHAT PRC';
    for (const zone of `${known} PST8PDT ROC ROK UCT UTC WET W-SU`.split(' '))
      expect(problemsOf(workflow(`{cron: "@daily", zone: ${zone}}`))).toEqual([]);
  });
});

describe('the inputs of a schedule', () => {
  const INPUTS = 'inputs: {day: {type: string}, count: {type: integer, default: 1}}\n';

  it('are values, or refer to the event', () => {
    const { inputs } = scheduleOf('{cron: "@daily", inputs: {day: "${event.time}", count: 3}}', INPUTS);
    expect(inputs).toMatchObject({
      day: { kind: 'expression', expression: { kind: 'reference', root: 'input:event', path: ['time'] } },
      count: { kind: 'literal', value: 3 },
    });
  });

  it.each([
    ['"@daily"', 'missing-input 3 The workflow needs the input `day`, and nobody is there to give it.'],
    ['{cron: "@daily", inputs: {day: x, dai: y}}', 'unknown-input 3 The workflow has no input `dai`.'],
    ['{cron: "@daily", inputs: {day: x, count: y}}', 'invalid-value 3 Expected the input `count` to be a whole number'],
    ['{cron: "@daily", inputs: {day: "${steps.a.output}"}}', 'unknown-variable 3 What starts a run knows `${event.…}`'],
    ['{cron: "@daily", inputs: {day: "${event.tiem}"}}', 'unknown-field 3 The event has no `tiem`; it has time.'],
  ])('are held against what the workflow takes: %s', (schedule, told) => {
    expect(wrong(schedule, INPUTS)).toEqual([expect.stringContaining(told)]);
  });
});
