import { setCurrentDetails } from '@temporalio/workflow';
import { segmentOf } from '../plan/plan.js';
import type { Schedule } from '../plan/schedule.js';
import { actorOf } from '../plan/step.js';
import type { Step } from '../plan/step.js';
import type { RunContext } from './context.js';

/** Rows in the table of Temporal's UI. */
const ROWS = 40;

/** Shows in Temporal's UI, as Markdown, where the run stands and what it waits for (decision 5). Adds no event. */
export function showDetails(context: RunContext): void {
  const { schedule, gates } = context;
  const count = schedule.steps.length;
  const waits = [...gates.open.values()].map(
    (gate) => `**waits for approval** of \`${gate.path}\`: ${plain(gate.message)}\n\n    perdure approve ${context.root.run}/${gate.path}\n`,
  );
  const head = `${count - schedule.open} of ${count} steps${context.settings.rehearsal ? ' · **rehearsal**' : ''}`;
  setCurrentDetails([head, ...waits, '| step | who | status | |\n| --- | --- | --- | --- |', ...shownSteps(schedule).map((step) => row(context, step))].join('\n'));
}

/** All steps where they fit; else what runs, and what ended last. Rows are made for these only: this is done at every step. */
function shownSteps({ body, steps, ended }: Schedule): Step[] {
  if (body.steps.length <= ROWS) return body.steps;
  const running = body.steps.filter(({ index }) => steps[index]?.status === 'running').slice(0, ROWS / 2);
  const last = ended.slice(running.length - ROWS).flatMap((index) => body.steps[index] ?? []);
  return [...last, ...running];
}

function row({ schedule, plan }: RunContext, step: Step): string {
  const state = schedule.steps[step.index];
  return `| ${segmentOf(step)} | ${plain(actorOf(step, plan.agents))} | ${state?.status ?? ''} | ${plain(state?.failure?.message ?? state?.note ?? '')} |`;
}

/** Text of models and tools as plain text in one line of a table: no Markdown, no links, no HTML (S35). */
function plain(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').replace(/[\\`*_{}[\]()#+|<>~!]/g, (mark) => `\\${mark}`).slice(0, 200);
}
