import type { Tone } from '../text/colors.js';
import type { RoundView, RunView, StepView } from '../observe/view/view.js';
import { isClosed, nestedIn, spendOf } from '../observe/view/view.js';
import { formatDuration, formatUsd, plural } from '../text/format.js';
import type { Around } from './items.js';
import { itemNames } from './items.js';
import { withSafeNames } from '../../plan/text/safe-name.js';
import { safeLine, safeName } from '../text/safe-text.js';
import { templateText } from './template-text.js';

/** One line of a tree before it is laid out in columns. */
export interface Row {
  depth: number;
  /** Of the step that it is, below the root run. */
  path?: string;
  /** Null: the mark of something that runs, which moves. */
  mark: string | null;
  tone: Tone;
  label: string;
  kind: string;
  detail: string;
  time: string;
  cost: string;
  /** What a model is saying: a line of its own below. */
  words?: string;
}

/** What the model of a running step, by its path, is saying at this moment. */
export type Says = (path: string) => string | null;

const MARKS: Record<StepView['status'], { mark: string | null; tone: Tone }> = {
  pending: { mark: '○', tone: 'quiet' },
  running: { mark: null, tone: 'active' },
  waiting: { mark: '◆', tone: 'attention' },
  success: { mark: '✓', tone: 'good' },
  error: { mark: '✗', tone: 'bad' },
  timeout: { mark: '✗', tone: 'bad' },
  skipped: { mark: '–', tone: 'quiet' },
  unknown: { mark: '?', tone: 'quiet' },
};

/** Of a step that succeeded, and below which something failed. */
const IN_PART = { mark: '!', tone: 'attention' } as const;

function isPartial({ status, result }: StepView): boolean {
  return status === 'success' && result?.partial !== undefined;
}

/**
 * The rows of a run's tree at a moment. Groups stand where their first member is. A nested run is shown while it
 * runs and when it did not succeed; with `expand` always.
 */
export function rowsOf(view: RunView, options: { now: number; expand: boolean; depth?: number; says?: Says }): Row[] {
  return rowsOfSteps(view.steps, { ...options, depth: options.depth ?? 0, around: { input: view.input, layers: [] } });
}

interface RowOptions {
  now: number;
  expand: boolean;
  depth: number;
  says?: Says;
  /** What is around the steps. */
  around: Around;
}

function rowsOfSteps(steps: StepView[], outer: RowOptions): Row[] {
  const { depth } = outer;
  const options = { ...outer, around: { ...outer.around, layers: [steps, ...outer.around.layers] } };
  const shown = new Set<string>();
  return steps.flatMap((step) => {
    const group = step.step.parallel_group;
    if (group === null) return stepRows(step, options);
    if (shown.has(group)) return [];
    shown.add(group);
    const members = steps.filter(({ step: member }) => member.parallel_group === group);
    return [
      groupRow(group, members, depth),
      ...members.flatMap((member) => stepRows(member, { ...options, depth: depth + 1 })),
    ];
  });
}

function groupRow(name: string, members: StepView[], depth: number): Row {
  return {
    depth,
    mark: '▾',
    tone: 'plain',
    label: safeName(name),
    kind: '',
    detail: doneOf(members),
    time: '',
    cost: '',
  };
}

function doneOf(steps: StepView[]): string {
  return `${steps.filter(({ status }) => status === 'success').length} of ${steps.length} done`;
}

function stepRows(view: StepView, options: RowOptions): Row[] {
  const words = view.status === 'running' ? (options.says?.(view.path) ?? null) : null;
  const row: Row = { ...stepRow(view, options), ...(words === null ? {} : { words: safeLine(words) }) };
  if (view.rounds.length > 0) return [row, ...roundRows(view, { ...options, depth: options.depth + 1 })];
  const { nested } = view;
  if (nested === null || !(options.expand || !isClosed(nested.status) || view.status !== 'success' || isPartial(view)))
    return [row];
  const shown = nestedIn(view).filter((run) => run === nested || !isClosed(run.status));
  return [row, ...shown.flatMap((run) => rowsOf(run, { ...options, depth: options.depth + 1 }))];
}

/** At most so many items or rounds of one step are shown; `--json` has them all. */
const MOST_ROUNDS = 20;

/** What goes on and what went wrong comes first; what ended well is shown where everything is asked for. */
function roundRows(view: StepView, options: RowOptions): Row[] {
  const { rounds } = view;
  const nameOf = itemNames(view, options.around);
  const telling = rounds.filter(
    ({ status, partial }) => (status !== 'success' && status !== 'skipped') || partial !== undefined,
  );
  const shown = new Set([...telling, ...(options.expand ? rounds : [])].slice(0, MOST_ROUNDS));
  const rows = rounds
    .filter((round) => shown.has(round))
    .flatMap((round) => oneRound(round, `#${round.index} ${nameOf(round.index)}`.trimEnd(), options));
  const left = rounds.length - shown.size;
  return left > 0 && options.expand
    ? [
        ...rows,
        {
          depth: options.depth,
          mark: '…',
          tone: 'quiet',
          label: `${left} more`,
          kind: '',
          detail: '',
          time: '',
          cost: '',
        },
      ]
    : rows;
}

function oneRound(round: RoundView, label: string, options: RowOptions): Row[] {
  const { single, steps } = round;
  if (!single)
    return [
      {
        depth: options.depth,
        ...(round.partial === undefined ? MARKS[round.status] : IN_PART),
        label,
        kind: '',
        detail: doneOf(steps),
        time: '',
        cost: '',
      },
      ...rowsOfSteps(steps, { ...options, depth: options.depth + 1 }),
    ];
  const inside = { ...options, around: { ...options.around, layers: [steps, ...options.around.layers] } };
  const [row, ...below] = steps.flatMap((step) => stepRows(step, inside));
  return row === undefined ? [] : [{ ...row, label }, ...below];
}

/** The row of one step. */
export function stepRow(view: StepView, { now, depth }: { now: number; depth: number }): Row {
  return {
    depth,
    path: view.path,
    ...(isPartial(view) ? IN_PART : MARKS[view.status]),
    label: `${view.step.index} ${safeName(view.step.id ?? view.actor)}`,
    kind: kindOf(view),
    detail: withSafeNames(safeLine(detailOf(view)), view.result?.decided_by),
    time: timeOf(view, now),
    cost: costOf(view),
  };
}

/** What does the work: the model, where it is known, or the kind of step in the words people use. */
function kindOf({ step, model, actor }: StepView): string {
  if (step.kind === 'agent') return safeName(model ?? (step.id === null ? 'agent' : actor));
  return step.kind === 'approval' || step.kind === 'ask' ? 'gate' : step.kind;
}

/** Of a step whose result says no more. */
const UNTOLD = { skipped: 'skipped', unknown: 'not known: its run was ended by others' };

function detailOf(view: StepView): string {
  switch (view.status) {
    case 'pending':
      return pendingDetail(view);
    case 'waiting':
      return view.gate?.message ?? '';
    case 'running':
      return runningDetail(view);
    case 'skipped':
    case 'unknown':
      return view.result?.error ?? UNTOLD[view.status];
    case 'error':
    case 'timeout':
      return withTries(view, firstLine(view.result?.error ?? view.status));
    case 'success':
      return withTries(view, endedDetail(view));
  }
}

function pendingDetail({ title, waitsFor }: StepView): string {
  return beside(title, waitsFor.length === 0 ? '' : `waits for ${waitsFor.join(', ')}`);
}

function runningDetail(view: StepView): string {
  const doing = view.doing ?? (view.nested === null ? (roundsText(view) ?? whatOf(view)) : doneOf(view.nested.steps));
  return view.attempt > 1 ? `try ${view.attempt} · ${doing}` : doing;
}

function roundsText({ step, rounds }: StepView): string | null {
  if (rounds.length === 0) return null;
  const ended = rounds.filter(
    ({ status }) => status !== 'running' && status !== 'waiting' && status !== 'pending',
  ).length;
  return step.kind === 'loop' ? `round ${rounds.length}` : `${plural(ended, 'item')} done`;
}

function endedDetail({ result, nested, ...view }: StepView): string {
  if (result?.reused) return 'reused';
  if (nested !== null && (result?.note ?? null) === null) return plural(nested.steps.length, 'step');
  const what = whatOf({ ...view, result, nested });
  // `exit 0` says less than what was run; anything else that an activity notes says more.
  const note = result?.note === 'partial' ? `partial: ${firstLine(result.partial ?? '')}` : (result?.note ?? '');
  return note === '' || note === 'exit 0' ? what || note : beside(view.title, note);
}

function beside(title: string | undefined, more: string): string {
  return [title ?? '', more].filter((part) => part !== '').join(' · ');
}

/** The literal words of a command, the name of a nested workflow, a title. */
function whatOf({ step, title }: StepView): string {
  if (step.kind === 'workflow') return step.id === null ? '' : step.workflow;
  if (step.kind === 'tool') return step.id === null ? '' : step.tool.name;
  if (step.kind !== 'command') return title ?? '';
  return step.argv.map(templateText).join(' ');
}

function withTries({ result }: StepView, detail: string): string {
  return result !== null && result.attempts > 1
    ? `${plural(result.attempts, 'try').replace('trys', 'tries')} · ${detail}`
    : detail;
}

/** Without the colon that announces the lines below it. */
function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.replace(/:\s*$/, '') ?? '';
}

function timeOf({ status, result, startedAt }: StepView, now: number): string {
  if (status === 'running' && startedAt !== null) return formatDuration(now - startedAt);
  if (result === null || status === 'skipped') return '';
  return formatDuration(result.duration_ms);
}

function costOf(view: StepView): string {
  const { usd } = spendOf(view);
  if (usd === null) return '$?';
  return usd === 0 ? '' : formatUsd(usd);
}
