/** ISO 8601 with date, time and offset: a moment, wherever it is read. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * The longest timer that Temporal takes, 100 years: of a longer one its server makes one of these, and says nothing.
 */
export const LONGEST_WAIT_MS = 100 * 365 * 24 * 3_600_000;

/** Tells whether a text is a moment, of a day that there is: `Date` takes 30 February for the 2nd of March. */
export function isMoment(text: string): boolean {
  return MOMENT.test(text) && !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10));
}

/** Tells whether a text is a day: `2026-11-20`. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
