import { setCurrentDetails } from '@temporalio/workflow';
import { segmentOf } from '../plan/plan.js';
import { actorOf } from '../plan/step.js';
import type { RunContext } from './context.js';

/** Rows in the table of Temporal's UI; what has not started or is long done is counted instead. */
const ROWS = 40;

/** Shows in Temporal's UI, as Markdown, where the run stands and what it waits for (decision 5). Adds no event. */
export function showDetails(context: RunContext): void {
  const { schedule, plan, gates } = context;
  const rows = schedule.body.steps.map((step) => {
    const state = schedule.steps[step.index];
    return `| ${segmentOf(step)} | ${plain(actorOf(step, plan.agents))} | ${state?.status ?? ''} | ${plain(state?.failure?.message ?? state?.note ?? '')} |`;
  });
  const ended = schedule.steps.length - schedule.open;
  const waits = [...gates.open.values()].map(
    (gate) => `**waits for approval** of \`${gate.path}\`: ${plain(gate.message)}\n\n    perdure approve ${context.root.run}/${gate.path}\n`,
  );
  const shown = rows.length <= ROWS ? rows : rows.filter((row) => !row.includes('| pending |')).slice(-ROWS);
  setCurrentDetails(
    [`${ended} of ${schedule.steps.length} steps${context.settings.rehearsal ? ' · **rehearsal**' : ''}`, ...waits, '| step | who | status | |\n| --- | --- | --- | --- |', ...shown].join('\n'),
  );
}

/** Text of models and tools as plain text in one line of a table: no Markdown, no links, no HTML (S35). */
function plain(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').replace(/[\\`*_{}[\]()#+|<>~!]/g, (mark) => `\\${mark}`).slice(0, 200);
}
