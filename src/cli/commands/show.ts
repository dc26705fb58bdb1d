import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson, widthOf } from '../terminal.js';

export const show: CommandSpec = {
  name: 'show',
  summary: "show a run's tree with what it spent, while it runs and any time later",
  arguments: [{ syntax: '<run>', about: "a run's id" }],
  options: [JSON_OPTION],
  examples: ['perdure show full-review-7k2m4xqa'],
  async run({ arguments: [run = ''], options, terminal }) {
    const { openExisting, unknownRun } = await import('../session.js');
    const { findRun } = await import('../observe/find-run.js');
    const session = await openExisting(terminal, { taskQueue: null });
    if (session === null) throw unknownRun(run);
    const { view, link } = await findRun(run, session);
    try {
      if (options.flag('json')) {
        const { toRunResult } = await import('../render/json.js');
        printJson(terminal, await toRunResult(view, session.store));
      } else {
        const { runUrl } = await import('../follow/follow.js');
        const { renderRun } = await import('../render/screen.js');
        const style = { now: Date.now(), width: widthOf(terminal.stdout), palette: terminal.resultPalette };
        print(terminal, ...renderRun(view, link === null ? null : runUrl(link, run), style));
      }
    } finally {
      await link?.close();
    }
    return EXIT.success;
  },
};
