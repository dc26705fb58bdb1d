import type { Template } from '../values/expression.js';

/** What happens when a run is due while the one before it is open. */
export const OVERLAPS = ['skip', 'buffer_one', 'buffer_all', 'cancel_other', 'allow_all'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** Whole numbers from `start` to `end`, each `step`th. */
export interface NumberRange {
  start: number;
  end: number;
  step: number;
}

/** The parts of a moment, with the numbers that each may be. Sunday is 0, January 1. */
export const CALENDAR_FIELDS = {
  second: { least: 0, most: 59 },
  minute: { least: 0, most: 59 },
  hour: { least: 0, most: 23 },
  day_of_month: { least: 1, most: 31 },
  month: { least: 1, most: 12 },
  day_of_week: { least: 0, most: 6 },
  year: { least: 2000, most: 2100 },
} as const;
export type CalendarField = keyof typeof CALENDAR_FIELDS;

/** Moments of which every part is in one of its ranges. */
export type Calendar = Record<CalendarField, NumberRange[]>;

/** When runs of a definition start by themselves: at every moment that a calendar or an interval names. */
export interface Schedule {
  /** As it is written, for people: `0 2 * * 1-5`, `every 15m`. */
  written: string[];
  calendars: Calendar[];
  /** Counted from the epoch, in milliseconds. */
  intervals: { every_ms: number; offset_ms: number }[];
  /** Name of the time zone that calendars mean. */
  zone: string;
  /** Each start is up to so much later, by chance. */
  jitter_ms: number;
  overlap: Overlap;
  /** What was missed while no server ran is made up for, if it was due no longer ago. */
  catch_up_ms: number;
  /** ISO 8601, UTC; null for no bound. */
  starts: string | null;
  ends: string | null;
  /** What each run is given; `input:event` in it is what started the run. */
  inputs: Record<string, Template>;
}

/** The reference by which inputs of a run name what started it. */
export const EVENT = 'event';
