import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { EXIT, usageError } from '../exit-codes.js';
import { print, printJson, tell } from '../terminal.js';

const USUAL_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

export const prune: CommandSpec = {
  name: 'prune',
  summary: 'remove runs that closed long ago, with their histories, logs and journals',
  arguments: [],
  options: [
    { flags: '--older-than <days>', about: `days since they closed; ${USUAL_DAYS} when left out` },
    { flags: '--dry-run', about: 'say what would go, and remove nothing' },
    JSON_OPTION,
  ],
  examples: ['perdure prune --dry-run', 'perdure prune --older-than 7'],
  async run({ options, terminal }) {
    const typed = options.text('older-than') ?? String(USUAL_DAYS);
    if (!/^\d{1,5}$/.test(typed))
      throw usageError(`Expected \`--older-than\` to be a number of days, got \`${typed}\`.`);
    const dryRun = options.flag('dry-run');
    const { openExisting } = await import('../session.js');
    const session = await openExisting(terminal, { taskQueue: null });
    if (session?.isElsewhere === true && session.config.store === undefined)
      throw usageError(
        'A server elsewhere keeps its histories as long as it is told to.',
        'Unset TEMPORAL_ADDRESS to prune this project; and on a shared server set the retention of the namespace.',
      );
    const { pruneRuns } = await import('../prune/prune-runs.js');
    const pruned =
      session === null
        ? { runs: [], journals: 0, open: 0 }
        : await pruneRuns({ before: new Date(Date.now() - Number(typed) * DAY_MS), dryRun }, session);
    if (options.flag('json')) printJson(terminal, { ...pruned });
    else {
      if (pruned.runs.length > 0) print(terminal, ...pruned.runs);
      const left = pruned.open === 0 ? '' : ` ${String(pruned.open)} open: journals stay until none is.`;
      tell(
        terminal,
        `${dryRun ? 'Would remove' : 'Removed'} ${String(pruned.runs.length)} runs and ` +
          `${String(pruned.journals)} journals.${left}`,
      );
    }
    return EXIT.success;
  },
};
