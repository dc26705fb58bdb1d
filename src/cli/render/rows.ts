import type { RunView, StepView } from '../observe/view.js';
import { isClosed } from '../observe/view.js';
import { formatDuration, formatUsd, plural } from './format.js';
import { safeLine } from './safe-text.js';
import { templateText } from './template-text.js';

export type Tone = 'good' | 'bad' | 'active' | 'attention' | 'quiet' | 'plain';

/** One line of a tree before it is laid out in columns. */
export interface Row {
  depth: number;
  /** Null: the mark of something that runs, which moves. */
  mark: string | null;
  tone: Tone;
  label: string;
  kind: string;
  detail: string;
  time: string;
  cost: string;
}

const MARKS: Record<StepView['status'], { mark: string | null; tone: Tone }> = {
  pending: { mark: '○', tone: 'quiet' },
  running: { mark: null, tone: 'active' },
  waiting: { mark: '◆', tone: 'attention' },
  success: { mark: '✓', tone: 'good' },
  error: { mark: '✗', tone: 'bad' },
  timeout: { mark: '✗', tone: 'bad' },
  skipped: { mark: '–', tone: 'quiet' },
};

/**
 * The rows of a run's tree at a moment. Groups stand where their first member is. A nested run is shown while it
 * runs and when it did not succeed; with `expand` always.
 */
export function rowsOf(view: RunView, options: { now: number; expand: boolean; depth?: number }): Row[] {
  const depth = options.depth ?? 0;
  const shown = new Set<string>();
  return view.steps.flatMap((step) => {
    const group = step.step.parallel_group;
    if (group === null) return stepRows(step, { ...options, depth });
    if (shown.has(group)) return [];
    shown.add(group);
    const members = view.steps.filter(({ step: member }) => member.parallel_group === group);
    return [groupRow(group, members, depth), ...members.flatMap((member) => stepRows(member, { ...options, depth: depth + 1 }))];
  });
}

function groupRow(name: string, members: StepView[], depth: number): Row {
  return { depth, mark: '▾', tone: 'plain', label: safeLine(name), kind: '', detail: doneOf(members), time: '', cost: '' };
}

function doneOf(steps: StepView[]): string {
  return `${steps.filter(({ result }) => result !== null).length} of ${steps.length} done`;
}

function stepRows(view: StepView, options: { now: number; expand: boolean; depth: number }): Row[] {
  const row = stepRow(view, options);
  const { nested } = view;
  if (nested === null || !(options.expand || !isClosed(nested.status) || view.status !== 'success')) return [row];
  return [row, ...rowsOf(nested, { ...options, depth: options.depth + 1 })];
}

/** The row of one step. */
export function stepRow(view: StepView, { now, depth }: { now: number; depth: number }): Row {
  return {
    depth,
    ...MARKS[view.status],
    label: `${view.step.index} ${safeLine(view.step.id ?? view.actor)}`,
    kind: kindOf(view),
    detail: safeLine(detailOf(view)),
    time: timeOf(view, now),
    cost: costOf(view),
  };
}

/** What does the work: the model, where it is known, or the kind of step in the words people use. */
function kindOf({ step, model, actor }: StepView): string {
  if (step.kind === 'agent') return safeLine(model ?? (step.id === null ? 'agent' : actor));
  return step.kind === 'approval' ? 'gate' : step.kind;
}

function detailOf(view: StepView): string {
  switch (view.status) {
    case 'pending':
      return view.waitsFor.length === 0 ? '' : `waits for ${view.waitsFor.join(', ')}`;
    case 'waiting':
      return view.gate?.message ?? '';
    case 'running':
      return runningDetail(view);
    case 'skipped':
      return view.result?.error ?? 'skipped';
    case 'error':
    case 'timeout':
      return withTries(view, firstLine(view.result?.error ?? view.status));
    case 'success':
      return withTries(view, endedDetail(view));
  }
}

function runningDetail(view: StepView): string {
  const doing = view.doing ?? (view.nested === null ? whatOf(view) : doneOf(view.nested.steps));
  return view.attempt > 1 ? `try ${view.attempt} · ${doing}` : doing;
}

function endedDetail({ result, nested, ...view }: StepView): string {
  if (result?.reused) return 'reused';
  if (nested !== null && (result?.note ?? null) === null) return plural(nested.steps.length, 'step');
  const what = whatOf({ ...view, result, nested });
  // `exit 0` says less than what was run; anything else that an activity notes says more.
  const note = result?.note ?? '';
  return note === '' || note === 'exit 0' ? what || note : note;
}

/** The literal words of a command, the name of a nested workflow. */
function whatOf({ step }: StepView): string {
  if (step.kind === 'workflow') return step.id === null ? '' : step.workflow;
  if (step.kind !== 'command') return '';
  return step.argv.map(templateText).join(' ');
}

function withTries({ result }: StepView, detail: string): string {
  return result !== null && result.attempts > 1 ? `${plural(result.attempts, 'try').replace('trys', 'tries')} · ${detail}` : detail;
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}

function timeOf({ status, result, startedAt }: StepView, now: number): string {
  if (status === 'running' && startedAt !== null) return formatDuration(now - startedAt);
  if (result === null || status === 'skipped') return '';
  return formatDuration(result.duration_ms);
}

function costOf({ result, nested }: StepView): string {
  const usd = (result?.spend ?? nested?.spend)?.usd;
  if (usd === null) return '$?';
  return usd === undefined || usd === 0 ? '' : formatUsd(usd);
}
