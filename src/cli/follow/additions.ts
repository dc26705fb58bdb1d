import type { Additions } from '../../plan/budget/steering.js';
import { usageError } from '../exit-codes.js';
import { formatUsd, plural } from '../text/format.js';

/** What may be added to a run's limits, and whether only whole numbers make sense. */
export const ADDITIONS: { [what in keyof Required<Additions>]: { about: string; whole: boolean } } = {
  usd: { about: 'dollars for models', whole: false },
  tokens: { about: 'tokens of models', whole: true },
  steps: { about: 'steps that act or ask', whole: true },
  minutes: { about: 'minutes of run time', whole: false },
};

/** The additions that were typed, null for each that was not. Throws a usage error for what is no positive number. */
export function additionsIn(typedOf: (what: keyof Additions) => string | null): Additions {
  const add: Additions = {};
  for (const [key, { whole }] of Object.entries(ADDITIONS)) {
    const what = key as keyof Additions; // the keys of ADDITIONS are those of Additions
    const typed = typedOf(what);
    if (typed === null) continue;
    const value = /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : Number.NaN;
    if (!(value > 0) || value > 1e6 * (what === 'tokens' ? 1e6 : 1) || (whole && !Number.isInteger(value))) {
      throw usageError(
        `Expected \`--add-${what}\` to be a positive ${whole ? 'whole number' : 'number'}, got \`${typed}\`.`,
      );
    }
    add[what] = value;
  }
  return add;
}

/** What is added, in words: `$2.00, 3 steps`. */
export function additionWords({ usd, tokens, steps, minutes }: Additions): string {
  return [
    ...(usd === undefined ? [] : [formatUsd(usd)]),
    ...(tokens === undefined ? [] : [plural(tokens, 'token')]),
    ...(steps === undefined ? [] : [plural(steps, 'step')]),
    ...(minutes === undefined ? [] : [plural(minutes, 'minute')]),
  ].join(', ');
}
