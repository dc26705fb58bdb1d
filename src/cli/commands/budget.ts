import type { CommandSpec } from '../command.js';
import { AS_OPTION, JSON_OPTION } from '../command.js';
import { usageError } from '../exit-codes.js';
import { ADDITIONS, additionsIn } from '../follow/additions.js';
import { actingName } from '../terminal.js';

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
    const add = additionsIn((what) => options.text(`add-${what}`));
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
