import { PAGE_STEP } from '../../plan/builds/deployment.js';
import { buildStepOf } from '../observe/build-spec.js';
import type { RunView } from '../observe/view/view.js';
import { isClosed, rootOf } from '../observe/view/view.js';
import { failuresOf } from './failures.js';
import { workedMs } from '../observe/worked.js';
import type { Palette } from '../text/colors.js';
import { formatCount, formatDuration, formatMinutes, formatUsd, plural, shortHash } from '../text/format.js';
import { pauseLines } from './pause-lines.js';
import type { Says } from './rows.js';
import { rowsOf } from './rows.js';
import { withSafeNames } from '../../plan/text/safe-name.js';
import { safeLine, safeName, safeText } from '../text/safe-text.js';
import type { TreeStyle } from './tree.js';
import { renderTree, windowOf } from './tree.js';
import { displayWidth, wrap } from '../text/width.js';
import { typedCommand } from '../text/own-name.js';

/** The first line of a run: its name, how to name it, what runs, and where to look at it. */
export function renderHeader(view: RunView, uiUrl: string | null, width: number): string[] {
  const parts = [safeName(view.name), `run ${safeName(view.run)}`, `plan ${shortHash(view.plan)}`];
  if (uiUrl !== null) parts.push(`Temporal ${uiUrl}`);
  const lines = flow(parts, width);
  return view.rehearsal
    ? [...lines, 'REHEARSAL: everything is real but the models, whose answers are stand-ins']
    : lines;
}

/** The first line where a run was there before: what it has done already is not done again. */
export function renderJoined(view: RunView): string[] {
  const done = endedSteps(view);
  const before = done === 0 ? '' : `, ${plural(done, 'step')} done before, none is repeated`;
  return [`${safeName(view.name)} · joined run ${safeName(view.run)}${before}${view.rehearsal ? ' · REHEARSAL' : ''}`];
}

function endedSteps(view: RunView): number {
  return view.steps.reduce((sum, { status, nested, step }) => {
    const own = status === 'success' && step.kind !== 'workflow' && step.kind !== 'plan' ? 1 : 0;
    return sum + own + (nested === null ? 0 : endedSteps(nested));
  }, 0);
}

/** Joined by ` · `, broken where the width demands it; a part is never cut, so that it can be copied. */
function flow(parts: string[], width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 3 + displayWidth(part) <= width)
      lines[lines.length - 1] = `${last} · ${part}`;
    else lines.push(lines.length === 0 ? part : `  ${part}`);
  }
  return lines;
}

/** The whole live region: tree and meter, in at most `height` lines. */
export function renderScreen(view: RunView, now: number, style: TreeStyle & { height: number; says?: Says }): string[] {
  const options = { now, expand: false, ...(style.says === undefined ? {} : { says: style.says }) };
  const lines = renderTree(view, options, style);
  const focus = Math.max(
    0,
    rowsOf(view, options).findIndex(({ tone }) => tone === 'active' || tone === 'attention'),
  );
  const paused = pausedLines(view);
  return [
    '',
    ...windowOf(lines, focus, style.height - 4 - paused.length),
    '',
    ...paused,
    `  ${style.palette.dim(renderMeter(view, now))}`,
  ];
}

/** What was used of what may be: `3 of 100 steps · 1m06s of 30m · $0.043 of $5.00 · 18,204 tokens`. */
export function renderMeter(view: RunView, now: number): string {
  const { spend, budget } = view;
  const parts = [
    budget.max_steps === null ? plural(spend.steps, 'step') : `${spend.steps} of ${plural(budget.max_steps, 'step')}`,
    of(formatDuration(workedMs(view, now)), budget.max_runtime_mins, formatMinutes),
  ];
  if (spend.usd !== 0 || budget.max_cost_usd !== null)
    parts.push(of(formatUsd(spend.usd), budget.max_cost_usd, formatUsd));
  if (spend.tokens > 0 || budget.max_tokens !== null)
    parts.push(`${of(formatCount(spend.tokens), budget.max_tokens, formatCount)} tokens`);
  if (view.cancelling) parts.push('cancelling…');
  return parts.join(' · ');
}

function of(used: string, limit: number | null, format: (limit: number) => string): string {
  return limit === null ? used : `${used} of ${format(limit)}`;
}

/** Why nothing new starts; while it runs, limits of which most is used. */
function pausedLines({ pause, warnings = [], remembered = [] }: RunView): string[] {
  const nearly = warnings.map(({ message }) => `! ${safeLine(message)}`);
  const allowed = remembered.map(
    ({ gate, by, message }) =>
      `! allowed for the rest of the run by ${safeName(by.join(', '))} at ${safeLine(gate)}: ${safeLine(message)}`,
  );
  const lines = [...nearly, ...allowed, ...(pause === null || pause === undefined ? [] : pauseLines(pause))];
  return lines.length === 0 ? [] : [...lines, ''];
}

/** The last lines of a run: what failed first, in its own words, then how it ended, then what to do. */
export function renderEnding(view: RunView, width: number, palette: Palette): string[] {
  const took = (view.endedAt ?? view.startedAt) - view.startedAt;
  const { spend } = view;
  const parts = [`${safeName(view.name)} · ${view.status} in ${formatDuration(took)}`, plural(spend.steps, 'step')];
  if (spend.usd !== 0) parts.push(formatUsd(spend.usd));
  if (spend.tokens > 0) parts.push(`${formatCount(spend.tokens)} tokens`);
  if (view.rehearsal) parts.push('rehearsal');
  const mark = view.status === 'success' ? '✓' : view.status === 'partial' ? '!' : '✗';
  const tone = view.status === 'success' ? 'good' : view.status === 'partial' ? 'attention' : 'bad';
  const ending = palette.tone(tone, `${mark} ${parts.join(' · ')}`);
  const branch = [...branchLines(view), ...pageLines(view)];
  return view.status === 'success'
    ? [ending, ...branch]
    : [...branch, ...renderFailures(view, width, palette), ending, ...nextCommands(view)];
}

/** Where the files of a run in a work tree are, and how they come home. A build has none before it does its tasks. */
function branchLines({ branch, run, steps, unrecorded }: RunView): string[] {
  const plans = steps.filter(({ step }) => step.kind === 'plan');
  if (branch === undefined || (plans.length > 0 && plans.every(({ nested }) => nested === null))) return [];
  const root = rootOf(run);
  const shows = typedCommand('perdure workspace show', [root]);
  const tells = `  It worked in a tree of its own: \`${shows}\` tells what has changed there`;
  return [unrecorded ? `${tells}.` : `${tells}, and \`apply\` brings it here.`];
}

/** How the page that a build has made is opened. */
function pageLines({ steps, run }: RunView): string[] {
  const made = steps.flatMap(({ step, nested }) => (step.kind === 'plan' ? (nested?.steps ?? []) : []));
  const hasPage = made.some(({ step, status }) => step.id === PAGE_STEP && status === 'success');
  return hasPage
    ? [`  Its page: \`${typedCommand('perdure build open', [rootOf(run)])}\` serves it, and prints the address.`]
    : [];
}

/** Each step that failed by itself, the innermost first, with what it said. */
function renderFailures(view: RunView, width: number, palette: Palette): string[] {
  const failures = failuresOf(view);
  if (failures.length === 0 && view.error !== null) return [...indent(view.error, width), ''];
  return failures.flatMap(({ path, error, by }) => [
    palette.tone('bad', `✗ ${safeName(path)}`),
    ...indent(error, width, by),
    '',
  ]);
}

const MOST_LINES = 12;

function indent(text: string, width: number, names: string[] = []): string[] {
  const lines = withSafeNames(safeText(text), names)
    .replace(/^\s*\n/, '')
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrap(line, width - 4));
  const shown = lines.length <= MOST_LINES ? lines : [...lines.slice(0, 4), '…', ...lines.slice(5 - MOST_LINES)];
  return shown.map((line) => `    ${line}`);
}

function nextCommands(view: RunView): string[] {
  const line = (command: string, about: string): string => `${`  ${command}`.padEnd(44)}  ${about}`;
  const root = rootOf(view.run);
  const logged = failuresOf(view).find(({ log }) => log !== null)?.log ?? null;
  return [
    ...(logged === null ? [] : [line(typedCommand('perdure logs', [root, logged]), 'everything it wrote')]),
    line(typedCommand('perdure show', [view.run]), 'the whole tree'),
    // Only a whole run that has ended can be run again.
    ...(root === view.run ? againLines(view, line) : []),
  ];
}

function againLines(view: RunView, line: (command: string, about: string) => string): string[] {
  const { run, definition, unrecorded } = view;
  if (unrecorded)
    return definition === undefined
      ? []
      : [line(typedCommand('perdure run', [safeName(definition)], '…'), 'all of it anew: it left no record')];
  const fix = `${typedCommand('perdure build fix', [run])} "…"`;
  return [
    line(typedCommand('perdure rerun', [run]), 'only what is not done'),
    ...(buildStepOf(view)?.nested == null ? [] : [line(fix, 'has its team mend what you say')]),
  ];
}

/** What `show` prints: header, the whole tree, and the meter or the ending. */
export function renderRun(
  view: RunView,
  uiUrl: string | null,
  options: { now: number; width: number; palette: Palette },
): string[] {
  const { now, width, palette } = options;
  const tree = renderTree(view, { now, expand: true }, { width, palette, frame: 0 });
  const foot = isClosed(view.status)
    ? renderEnding(view, width, palette)
    : [...pausedLines(view), `  ${view.status} · ${renderMeter(view, now)}`];
  return [...renderHeader(view, uiUrl, width), '', ...tree, '', ...foot];
}
