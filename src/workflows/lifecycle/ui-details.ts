import { setCurrentDetails, upsertMemo } from '@temporalio/workflow';
import type { Gate } from '../../plan/gates/gate.js';
import { shownContent, unlinked } from '../../plan/gates/shown-content.js';
import { segmentOf } from '../../plan/plan.js';
import { withSafeNames } from '../../plan/text/safe-name.js';
import { safeLine } from '../../plan/text/safe-text.js';
import { isResumable } from '../../plan/budget/steering.js';
import type { Schedule } from '../../plan/schedule/schedule-state.js';
import { actorOf } from '../../plan/references/actor.js';
import { titleOf } from '../../plan/references/title.js';
import type { Step } from '../../plan/step.js';
import type { RunContext } from '../state/context.js';
import { restrictionsOf } from '../state/account.js';
import { MEMO } from '../../plan/names.js';
import { showCarried } from '../gates/gate-book.js';
import { cutTo } from '../../plan/text/cut-to.js';

/** Of a text in the table. What people are asked is never cut. */
const MOST_CHARACTERS = 200;

/** Rows in the table of Temporal's UI. */
const ROWS = 40;

/**
 * Shows in Temporal's UI, as Markdown, where the run stands and what it waits for (decision 5). Adds no event. The text
 * is made when somebody looks: to make it at every step took a tenth of what a step costs here.
 */
export function showDetails(context: RunContext): void {
  // The SDK declares a text and does nothing with it but to put it into JSON, where an object may say what it is.
  setCurrentDetails({ toJSON: () => detailsOf(context) } as unknown as string);
}

/** What a person types to decide a gate. Which of several options it is, whoever copies that must have seen. */
export function commandOf({ kind, path, options }: Pick<Gate, 'kind' | 'path' | 'options'>, run: string): string {
  if (options !== undefined) return `perdure watch ${run}`;
  return kind === 'ask' ? `perdure answer ${run}/${path} "your answer"` : `perdure approve ${run}/${path}`;
}

function detailsOf(context: RunContext): string {
  const {
    gates,
    top: { schedule },
  } = context;
  const count = schedule.steps.length;
  const waits = [...gates.open.values()].map((gate) => {
    const wanted = gate.kind === 'ask' ? 'an answer** to' : 'approval** of';
    const shows = shownContent(gate.content);
    const page = pageOf(context, `gates/${context.root.run}/${gate.path}`, 'Decide it on its page');
    return [
      `**waits for ${wanted} \`${gate.path}\`: ${plain(gate.message, gate.message.length)}\n`,
      ...(shows === '' ? [] : [shows]),
      `${page === '' ? 'Decide it' : `${page}, or`}:\n`,
      `    ${commandOf(gate, context.root.run)}\n`,
    ].join('\n');
  });
  const head = `${count - schedule.open} of ${count} steps${context.settings.rehearsal ? ' · **rehearsal**' : ''}`;
  const { pause } = restrictionsOf(context.account);
  const paused =
    pause === null
      ? []
      : [
          `**paused**: ${plain(pause.message)}\n\n    perdure ` +
            `${isResumable(pause) ? 'resume' : 'budget'} ${pause.run}\n`,
        ];
  const warned = context.account.warnings.map(({ message }) => `**${plain(message)}**\n`);
  const page = pageOf(context, `runs/${context.root.run}`, 'Its page');
  return [
    page === '' ? head : `${head} · ${page}`,
    ...paused,
    ...warned,
    ...waits,
    '| step | who | status | |\n| --- | --- | --- | --- |',
    ...shownSteps(schedule).map((step) => row(context, step)),
  ].join('\n');
}

/** A link to a page of ours; empty where nobody knows where the pages are. */
function pageOf({ settings: { pages } }: RunContext, path: string, words: string): string {
  return pages === undefined ? '' : `[${words}](${pages}/${path.split('/').map(encodeURIComponent).join('/')})`;
}

/** All steps where they fit; else what runs, and what ended last. */
function shownSteps({ body, running, ended }: Schedule): Step[] {
  if (body.steps.length <= ROWS) return body.steps;
  const now = [...running].sort((a, b) => a - b).slice(0, ROWS / 2);
  return [...ended.slice(now.length - ROWS), ...now].flatMap((index) => body.steps[index] ?? []);
}

function row({ top: { schedule }, plan }: RunContext, step: Step): string {
  const { status = 'pending', failure = null, note = null, decided_by } = schedule.steps[step.index] ?? {};
  const says = plain(failure?.message ?? note ?? titleOf(step, plan.agents) ?? '');
  return (
    `| ${segmentOf(step)} | ${plain(actorOf(step, plan.agents))} | ${status} | ` +
    `${withSafeNames(says, decided_by)} |`
  );
}

/** Text of models and tools as plain text in one line of a table: no Markdown, no links, no HTML. */
function plain(text: string, most = MOST_CHARACTERS): string {
  const line = safeLine(cutTo(text, most));
  return unlinked(line.replace(/[\\`*_{}[\]()#+|<>~!]/g, (mark) => `\\${mark}`));
}

/**
 * Writes what a run's memo said before it continued as new: that does not travel. Gates say it themselves, unless a
 * pause keeps them from it.
 */
export function showAgain({ gates, account }: RunContext): void {
  const {
    own: { pause },
    warnings,
  } = account;
  const told = {
    ...(pause === null ? {} : { [MEMO.paused]: pause }),
    ...(warnings.length === 0 ? {} : { [MEMO.warnings]: warnings }),
  };
  if (Object.keys(told).length > 0) upsertMemo(told);
  if (pause !== null) account.onPaused();
  if (restrictionsOf(account).pause !== null && gates.carried.size > 0) showCarried(gates);
}
