import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { EXIT } from '../exit-codes.js';
import type { RunView } from '../observe/view/view.js';
import type { Store } from '../../store/store.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Session } from '../session.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, readingWidthOf, widthOf } from '../terminal.js';

const FORMATS = ['tree', 'json', 'graph'] as const;

export const show: CommandSpec = {
  name: 'show',
  summary: "show a run's tree with what it spent, while it runs and any time later",
  arguments: [{ syntax: '<run>', about: "a run's id" }],
  options: [
    {
      flags: '--format <format>',
      about: 'tree (default), json (the RunResult) or graph (its graph with statuses and variables, as JSON)',
      choices: FORMATS,
    },
    JSON_OPTION,
  ],
  examples: ['perdure show full-review-7k2m4xqa', 'perdure show tour-3h9s6d2p --format graph'],
  async run({ arguments: [run = ''], options, terminal }) {
    const { openExisting, unknownRun } = await import('../session.js');
    const { findRun } = await import('../observe/find-run.js');
    const session = await openExisting(terminal, { taskQueue: null });
    if (session === null) throw unknownRun(run);
    const { view, link } = await findRun(run, session, { withPending: true });
    try {
      if (options.text('format') === 'graph') {
        const { runGraph } = await import('../render/plan/run-graph.js');
        printJson(terminal, await runGraph(view, session.store));
      } else if (options.flag('json') || options.text('format') === 'json') {
        const { toRunResult } = await import('../render/json.js');
        printJson(terminal, await toRunResult(view, session.store));
      } else {
        const { runUrl } = await import('../follow/follow.js');
        const { renderRun } = await import('../render/screen.js');
        const style = { now: Date.now(), width: widthOf(terminal.stdout), palette: terminal.resultPalette };
        print(terminal, ...renderRun(view, link === null ? null : runUrl(link, run), style));
        const { narratedLines } = await import('../render/narration.js');
        const told = narratedLines(view.path === '' ? await session.store.readNarration(view.run) : [], style);
        print(terminal, ...told);
        const { taskCosts } = await import('../observe/task-costs.js');
        const { costLines } = await import('../render/cost-lines.js');
        const costs = await taskCosts(view, session.store);
        const costsTold = costs === null ? [] : costLines(costs);
        if (costsTold.length > 0) print(terminal, '', ...costsTold);
        const { askedAgainLine } = await import('../render/asked-again.js');
        const again = await askedAgainLine(session.store, run);
        if (again !== null) print(terminal, '', again);
        const { refusedLines } = await import('../render/refused-lines.js');
        const { asideLines } = await import('../render/aside-lines.js');
        const { unrecordedLines } = await import('../observe/unrecorded.js');
        const parts = [
          unrecordedLines({ view, link }, session.store),
          ...(await workerLinesOf(view, link, session.store)),
          await refusedLines(session.store, run),
          asideLines(session.store.folder, run),
        ];
        for (const lines of parts.filter(({ length }) => length > 0)) print(terminal, '', ...lines);
        await printGates(view, session, terminal);
      }
    } finally {
      await link?.close();
    }
    return EXIT.success;
  },
};

/** Which version of workers an open run is with, where they have one, and what it waits for that none of them has. */
async function workerLinesOf(view: RunView, link: TemporalLink | null, store: Store): Promise<string[][]> {
  const { isClosed } = await import('../observe/view/view.js');
  if (link === null || isClosed(view.status)) return [];
  const { placeOfRun, runVersion } = await import('../observe/versions.js');
  const place = await placeOfRun(link, view.run);
  if (place === null) return [];
  const { lackingLines } = await import('../observe/lacking-workers.js');
  const { runVersionLines } = await import('../render/version-lines.js');
  const version = await runVersion(place, store);
  return [
    version === null ? [] : runVersionLines(view.run, version),
    await lackingLines(view, place, { server: link, store }),
  ];
}

/** All that its open gates show, what follows them, and how they are answered. */
async function printGates(view: RunView, session: Session, terminal: Terminal): Promise<void> {
  const { openGates } = await import('../observe/view/view.js');
  const gates = openGates(view);
  if (gates.length === 0) return;
  const { shownIn } = await import('../follow/gate-content.js');
  const { gateLines } = await import('../follow/plain-lines.js');
  const { createTellBill } = await import('../bill/tell-bill.js');
  const tellBill = createTellBill(session, terminal);
  const width = readingWidthOf(terminal.stdout);
  for (const open of gates) {
    // A nested run does not know what waits for it around.
    const bill = view.path === '' ? await tellBill(view, open) : [];
    print(terminal, '', ...gateLines(open, await shownIn(open, session.store), width, bill));
  }
}
