import type { Happening, HappeningKind } from '../../plan/narration/happening.js';
import type { Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import { isObject, toText } from '../../plan/values/json.js';
import { isStored } from '../../plan/values/value.js';
import type { RunView, StepView } from '../observe/view/view.js';
import { nestedIn } from '../observe/view/view.js';
import type { TaskNames } from './task-names.js';
import { NO_NAMES } from './task-names.js';

/** Tools that keep the books of a build: nobody is told of them. */
const BOOKKEEPING = ['gather_context', 'keep_context', 'compare_workspace', 'test_changes'];
const UNTOLD: Step['kind'][] = ['set', 'wait'];
/** Of what a step came to so much is told. */
const TEXT_CHARACTERS = 1_000;

/** A step, and the task that it is told as: the outermost loop or list around it, else itself. */
export interface Placed {
  step: StepView;
  task: StepView;
  /** It stands in a round after the first. */
  isAgain: boolean;
}

/** All steps of a tree that people are told of, those of nested runs too, outer ones first. */
export function placedSteps(
  { steps }: Pick<RunView, 'steps'>,
  within: Omit<Placed, 'step' | 'task'> & { task: StepView | null } = { task: null, isAgain: false },
): Placed[] {
  return steps.flatMap((step) => {
    const task = within.task ?? (isBlockStep(step.step) ? step : null);
    const isTold =
      !UNTOLD.includes(step.step.kind) && !(step.step.kind === 'tool' && BOOKKEEPING.includes(step.step.tool.name));
    return [
      ...(isTold ? [{ step, task: task ?? step, isAgain: within.isAgain }] : []),
      ...nestedIn(step).flatMap((run) => placedSteps(run, { ...within, task })),
      ...step.rounds.flatMap((round) =>
        placedSteps(round, { task, isAgain: within.isAgain || (step.step.kind === 'loop' && round.index > 0) }),
      ),
    ];
  });
}

/** Finds out what has happened since a run was last looked at, however much that was. */
export interface Happenings {
  since(view: RunView, names: TaskNames): Happening[];
}

/** A step that went from one status to another has happened; what it did in between nobody needs to know. */
export function createHappenings(): Happenings {
  const statuses = new Map<string, string>();
  let seen: RunView | null = null;
  return {
    since(view, names) {
      if (view === seen) return [];
      // Of what had happened before the first look nobody knows when: it is no news.
      const unknown = seen === null ? view.startedAt : Date.now();
      seen = view;
      return placedSteps(view).flatMap((placed) => {
        const { path, status, attempt } = placed.step;
        const now = status === 'running' ? `running ${String(attempt)}` : status;
        if (statuses.get(path) === now) return [];
        const hadStarted = statuses.has(path) && statuses.get(path) !== 'pending';
        statuses.set(path, now);
        const kind = kindOf(placed, hadStarted);
        return kind === null ? [] : [toHappening(kind, placed, names, unknown)];
      });
    },
  };
}

function kindOf({ step: { status, step, attempt }, isAgain }: Placed, hadStarted: boolean): HappeningKind | null {
  switch (status) {
    case 'pending':
    case 'skipped':
    case 'unknown':
      return null;
    case 'running':
      if (attempt > 1 || (isAgain && step.kind === 'agent')) return 'again';
      return hadStarted ? null : 'started'; // it waited meanwhile
    case 'waiting':
      return 'waiting';
    case 'success':
      return 'completed';
    case 'error':
    case 'timeout':
      return 'failed';
  }
}

/** Something that happened to a step, told as its task; `unknown` is when where the step does not tell. */
export function toHappening(
  kind: HappeningKind,
  { step, task }: Placed,
  names: TaskNames,
  unknown = Date.now(),
): Happening {
  const { name, agent, first, ...about } = names.get(task.path) ?? NO_NAMES;
  return {
    kind,
    task: task.path,
    path: step.path,
    name: name ?? plainName(task),
    agent: agent ?? plainActor(step.actor),
    at: step.startedAt === null ? unknown : step.startedAt + (step.result?.duration_ms ?? 0),
    text: textOf(step),
    about: {
      ...about,
      // The first task is done when all of it is.
      ...(first === true && step === task ? { first } : {}),
      step: step.step.kind,
      ...(step.step.kind === 'tool' ? { tool: step.step.tool.name } : {}),
      ...(hasVerdict(step.step) ? { verdict: true as const } : {}),
    },
  };
}

/** What it came to, or why it failed. */
function textOf({ result }: StepView): string {
  if (result === null) return '';
  const { error, output } = result;
  if (error !== null || output === null) return (error ?? '').slice(0, TEXT_CHARACTERS);
  return (isStored(output) ? (output.preview ?? '') : toText(output.value)).slice(0, TEXT_CHARACTERS);
}

function hasVerdict(step: Step): boolean {
  if (step.kind !== 'agent' || !isObject(step.schema)) return false;
  const properties = step.schema['properties'] ?? null;
  return isObject(properties) && Object.hasOwn(properties, 'verdict');
}

function plainName({ step, path, actor }: StepView): string {
  const id = step.id ?? path.split('/').at(-1) ?? actor;
  return /^\d+$/.test(id) ? plainActor(actor) : id.replace(/[-_]+/g, ' ');
}

/** Agents of builds are called after those of the spec. */
function plainActor(actor: string): string {
  return /^task-(.+)-\d+$/.exec(actor)?.[1] ?? actor;
}
