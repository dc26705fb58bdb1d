import type { Additions } from '../../plan/budget/steering.js';
import type { CommandSpec, Options } from '../command.js';
import { AS_OPTION, JSON_OPTION } from '../command.js';
import { usageError } from '../exit-codes.js';
import { actingName } from '../terminal.js';

/** What may be added, and whether only whole numbers make sense. */
const ADDITIONS: { [what in keyof Required<Additions>]: { about: string; whole: boolean } } = {
  usd: { about: 'dollars for models', whole: false },
  tokens: { about: 'tokens of models', whole: true },
  steps: { about: 'steps that act or ask', whole: true },
  minutes: { about: 'minutes of run time', whole: false },
};

export const budget: CommandSpec = {
  name: 'budget',
  summary: "add to a run's limits, or stop it with what it has",
  arguments: [{ syntax: '<run>', about: 'the run whose limit it is' }],
  options: [
    ...Object.entries(ADDITIONS).map(([what, { about }]) => ({ flags: `--add-${what} <n>`, about })),
    { flags: '--abort', about: 'what runs ends, the rest is skipped, what is done is kept' },
    { flags: '--request <id>', about: 'what was done under an id is not done again' },
    AS_OPTION,
    JSON_OPTION,
  ],
  examples: ['perdure budget full-review-7k2m4xqa --add-usd 2', 'perdure budget full-review-7k2m4xqa --abort'],
  async run({ arguments: [run = ''], options, terminal }) {
    const add = parseAdditions(options);
    const isAbort = options.flag('abort');
    const flags = [...Object.keys(ADDITIONS).map((what) => `\`--add-${what}\``), '`--abort`'].join(', ');
    if (isAbort === Object.keys(add).length > 0)
      throw usageError(
        `Expected either something to add or \`--abort\`, got ${isAbort ? 'both' : 'neither'}.`,
        `There are ${flags}.`,
      );
    const { steerRun } = await import('../follow/steer-run.js');
    const wish = isAbort ? { kind: 'abort' as const } : { kind: 'budget' as const, add };
    return steerRun(
      { run, wish, by: actingName(options.text('as')), id: options.text('request'), json: options.flag('json') },
      terminal,
    );
  },
};

/** The additions that were typed. Throws a usage error for what is no positive number. */
function parseAdditions(options: Options): Additions {
  const add: Additions = {};
  for (const [what, { whole }] of Object.entries(ADDITIONS)) {
    const typed = options.text(`add-${what}`);
    if (typed === null) continue;
    const value = /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : Number.NaN;
    if (!(value > 0) || value > 1e6 * (what === 'tokens' ? 1e6 : 1) || (whole && !Number.isInteger(value))) {
      throw usageError(
        `Expected \`--add-${what}\` to be a positive ${whole ? 'whole number' : 'number'}, got \`${typed}\`.`,
      );
    }
    add[what as keyof Additions] = value; // the keys of ADDITIONS are those of Additions
  }
  return add;
}
