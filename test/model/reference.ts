/**
 * The reference model: what a workflow must come to, written from the language reference and not from the code. It
 * imports nothing of `src/`. A definition is in authored form, so it judges the compiler and the interpreter as one.
 */
export interface ModelStep {
  id: string;
  act: Act;
  /** Runs as a local activity: it makes no difference to what comes of it. */
  quick: boolean;
  /** Siblings that its text names. */
  refers: { to: number; fallback: string | null }[];
  needs: number[];
  group: string | null;
  on_error: OnError | null;
  /** Runs only when this earlier sibling has (or has not) succeeded. */
  when: { step: number; succeeded: boolean } | null;
  repeat: Repeat | null;
}

/** What a step does before it says what it refers to. */
export type Act =
  /** `fails`: always, never, or for the item or in the round of that number. */
  | { kind: 'command'; fails: boolean | number }
  | { kind: 'agent' | 'set' | 'wait' }
  /** Reads a file, which is there or not; it says nothing. */
  | { kind: 'look'; fails: boolean }
  | { kind: 'approval' | 'ask'; approve: boolean }
  | { kind: 'workflow'; workflow: ModelWorkflow }
  /** `steps:` of its own; only where it repeats. */
  | { kind: 'block'; mode: Mode; steps: ModelStep[] };

export type Repeat =
  /** `skips`: the number of the item whose `when` is false. */
  | { kind: 'foreach'; items: number; window: number | null; skips: number | null }
  /** `until` holds in the round of that number, from 0. */
  | { kind: 'loop'; until: number; max: number; at_max: 'error' | 'continue' };

export type OnError = 'continue' | 'stop' | 'skip_dependents';
export type Mode = 'sequential' | 'parallel' | 'dag';
export interface ModelWorkflow {
  name: string;
  mode: Mode;
  steps: ModelStep[];
  /** Commands of `finally:`; whether they fail. */
  finally: boolean[];
}

export type Output = string | null | { said: string } | Output[];

export interface Expected {
  status: 'success' | 'partial' | 'error';
  /** `output` null: there is none, whatever the status. */
  steps: StepExpected[];
  /** Pairs [before, after]: the first must have ended when the second starts, where both ran. */
  order: [number, number][];
  output: Output;
  /** Steps that acted or asked, nested ones included. */
  spent: number;
  /** Of them those of `finally:`, which run whatever the budget says. */
  last: number;
  /** Of all those that asked a model. */
  calls: number;
  gates: GateExpected[];
}

export interface StepExpected {
  status: 'success' | 'error' | 'skipped';
  output: Output;
  /** It succeeded, and something below it failed that was passed over and counts as a failure all the same. */
  partial?: true;
  /** Of a round: its steps pass over all that failed in it, so a later round makes up for it. */
  asked?: true;
}

/** A gate that opens: the run that owns it and its own path, both below the root run. */
export interface GateExpected {
  run: string;
  path: string;
  kind: 'approval' | 'ask';
  approve: boolean;
}

/** What a look yields. */
export const SEEN = '1\t{}';

/** Stands for any moment: a `wait` yields when it was over. */
export const TIME = '<time>';

const DEFAULT: Record<Mode, OnError> = { sequential: 'stop', parallel: 'continue', dag: 'skip_dependents' };

/** What is counted while a definition is played. */
interface Tally {
  spent: number;
  last: number;
  calls: number;
  gates: GateExpected[];
}

/** Where a step stands: the nested run, the path of what is around it, and the number of the item or round. */
interface Place {
  run: string;
  path: string;
  index: number | null;
  tally: Tally;
}

/**
 * Plays a workflow. A `stop` stands only where nothing else runs at that time: elsewhere what it hits is a matter of
 * time.
 */
export function play(workflow: ModelWorkflow): Expected {
  const tally: Tally = { spent: 0, last: 0, calls: 0, gates: [] };
  return { ...playWorkflow(workflow, { run: '', path: '', index: null, tally }), order: orderOf(workflow), ...tally };
}

function playWorkflow(workflow: ModelWorkflow, place: Place): Pick<Expected, 'status' | 'steps' | 'output'> {
  const { steps, stopped } = playSteps(workflow.steps, workflow.mode, place, false);
  // One of them that fails keeps nothing from running, whatever the mode.
  const last = workflow.finally.map((fails): StepExpected => {
    place.tally.spent += 1;
    place.tally.last += 1;
    return fails ? { status: 'error', output: null } : { status: 'success', output: 'bye' };
  });
  return {
    status: statusOf(steps, stopped, last),
    steps: [...steps, ...last],
    output: steps.at(-1)?.output ?? null,
  };
}

/** Plays siblings; `skipped`: the condition of the item that they belong to is false. */
function playSteps(
  siblings: ModelStep[],
  mode: Mode,
  place: Place,
  skipped: boolean,
): { steps: StepExpected[]; stopped: boolean } {
  const steps: StepExpected[] = [];
  const doomed = new Set<number>();
  let stopped = false;
  siblings.forEach((step, index) => {
    const doom = (): void => dependentsOf(siblings, index).forEach((dependent) => doomed.add(dependent));
    if (doomed.has(index)) doom();
    if (skipped || stopped || doomed.has(index) || !holds(step, steps))
      return void steps.push({ status: 'skipped', output: null });
    const policy = step.on_error ?? DEFAULT[mode];
    const end = playStep(step, steps, policy, place);
    steps.push(end);
    if (end.status !== 'error') return;
    if (policy === 'stop') stopped = true;
    if (policy === 'skip_dependents') doom();
  });
  return { steps, stopped };
}

function holds({ when }: ModelStep, before: StepExpected[]): boolean {
  return when === null || (before[when.step]?.status === 'success') === when.succeeded;
}

function playStep(step: ModelStep, before: StepExpected[], policy: OnError, place: Place): StepExpected {
  const words = step.refers.map(({ to, fallback }) => textOf(before[to]?.output ?? fallback)).join(',');
  const path = below(place.path, step.id);
  const once = (index: number, skipped = false): StepExpected =>
    playOnce(step, words, { ...place, path: below(path, String(index)), index }, skipped);
  switch (step.repeat?.kind) {
    case undefined:
      return playOnce(step, words, { ...place, path }, false);
    case 'foreach':
      return playItems(step.repeat, policy, once);
    case 'loop':
      return playRounds(step.repeat, policy, once);
  }
}

function playItems(
  { items, skips }: Repeat & { kind: 'foreach' },
  policy: OnError,
  once: (index: number, skipped: boolean) => StepExpected,
): StepExpected {
  const ends: StepExpected[] = [];
  for (let index = 0; index < items; index++) {
    const end = once(index, index === skips);
    ends.push(end);
    if (end.status === 'error' && policy === 'stop') break;
  }
  const failed = ends.some(({ status }) => status === 'error');
  const passes = !failed || (policy === 'continue' && ends.some(({ status }) => status === 'success'));
  if (!passes) return { status: 'error', output: null };
  return {
    status: 'success',
    output: ends.map(({ output }) => output),
    ...(failed || ends.some(({ partial }) => partial) ? { partial: true } : {}),
  };
}

/**
 * With `continue` a failed round is one like any other; as the last round it fails the step. What failed in part goes
 * up, but for what was to be passed over in a round that is not the last.
 */
function playRounds(
  { until, max, at_max }: Repeat & { kind: 'loop' },
  policy: OnError,
  once: (index: number) => StepExpected,
): StepExpected {
  let isPartial = false;
  for (let index = 0; ; index++) {
    const end = once(index);
    const goesUp = (isLast: boolean): boolean =>
      end.partial === true && (isLast || (policy !== 'continue' && end.asked !== true));
    const isOver = index === until || index + 1 === max;
    if (end.status === 'error' && (isOver || policy !== 'continue')) return { status: 'error', output: null };
    isPartial ||= goesUp(isOver);
    if (isOver && index !== until && at_max === 'error') return { status: 'error', output: null };
    if (isOver) return { status: 'success', output: end.output, ...(isPartial ? { partial: true } : {}) };
  }
}

/** The step itself, for one item or in one round where it repeats. */
function playOnce({ id, act }: ModelStep, words: string, place: Place, skipped: boolean): StepExpected {
  const { tally, index } = place;
  if (act.kind === 'block') {
    const { steps, stopped } = playSteps(act.steps, act.mode, place, skipped);
    const status = statusOf(steps, stopped);
    if (status === 'error') return { status, output: null };
    if (steps.every((step) => step.status === 'skipped')) return { status: 'skipped', output: null };
    return {
      status: 'success',
      output: steps.at(-1)?.output ?? null,
      ...(status === 'partial' ? { partial: true } : {}),
      ...(isAllAsked(act, steps) ? { asked: true } : {}),
    };
  }
  if (skipped) return { status: 'skipped', output: null };
  const said = `${id}#${index ?? ''}(${words})`;
  if (act.kind === 'command') {
    tally.spent += 1;
    return act.fails === true || act.fails === index
      ? { status: 'error', output: null }
      : { status: 'success', output: said };
  }
  return playOther(act, said, place);
}

function playOther(
  act: Exclude<Act, { kind: 'command' | 'block' }>,
  said: string,
  { tally, run, path }: Place,
): StepExpected {
  switch (act.kind) {
    case 'agent':
      tally.spent += 1;
      tally.calls += 1;
      return { status: 'success', output: said };
    case 'look':
      tally.spent += 1;
      return act.fails ? { status: 'error', output: null } : { status: 'success', output: SEEN };
    case 'set':
      return { status: 'success', output: { said } };
    case 'wait':
      return { status: 'success', output: TIME };
    case 'approval':
    case 'ask':
      tally.spent += 1;
      tally.gates.push({ run, path, kind: act.kind, approve: act.approve });
      if (!act.approve) return { status: 'error', output: null };
      return { status: 'success', output: act.kind === 'ask' ? 'answered' : said };
    case 'workflow': {
      const nested = playWorkflow(act.workflow, { run: path, path, tally, index: null });
      return nested.status === 'error'
        ? { status: 'error', output: null }
        : { status: 'success', output: nested.output, ...(nested.status === 'partial' ? { partial: true } : {}) };
    }
  }
}

/** Whether all that failed in a block was to be passed over: by `continue`, or because nothing depends on it. */
function isAllAsked({ mode, steps: siblings }: Act & { kind: 'block' }, steps: StepExpected[]): boolean {
  return steps.every(({ status, partial }, index) => {
    const policy = siblings[index]?.on_error ?? DEFAULT[mode];
    if (policy === 'continue' || (status !== 'error' && !partial)) return true;
    return status === 'error' && policy === 'skip_dependents' && dependentsOf(siblings, index).length === 0;
  });
}

/** As a value stands inside a text. */
function textOf(output: Output): string {
  return output === null ? '' : typeof output === 'string' ? output : JSON.stringify(output, null, 2);
}

function below(path: string, segment: string): string {
  return path === '' ? segment : `${path}/${segment}`;
}

/** What clears up at the end may fail, and is no success of the run's own. */
function statusOf(steps: StepExpected[], stopped: boolean, last: StepExpected[] = []): Expected['status'] {
  if (![...steps, ...last].some(({ status, partial }) => status === 'error' || partial)) return 'success';
  return !stopped && steps.some(({ status }) => status === 'success') ? 'partial' : 'error';
}

/**
 * Steps that go without when this one fails and its policy is `skip_dependents`: those with `needs` or a reference to
 * it, except where there is no `needs` and every reference to it has a `??` or reads its status alone.
 */
function dependentsOf(steps: ModelStep[], index: number): number[] {
  return steps.flatMap((step, dependent) => {
    const plain = step.refers.some(({ to, fallback }) => to === index && fallback === null);
    return step.needs.includes(index) || plain ? [dependent] : [];
  });
}

/** What must be over before what: references and needs always, the rest by the mode. */
function orderOf({ mode, steps }: ModelWorkflow): [number, number][] {
  return steps.flatMap((step, index) => {
    const edges = [...step.refers.map(({ to }) => to), ...step.needs, ...(step.when === null ? [] : [step.when.step])];
    if (mode === 'sequential' && index > 0) edges.push(index - 1);
    if (mode === 'parallel') edges.push(...beforeInParallel(steps, index));
    return edges.map((edge): [number, number] => [edge, index]);
  });
}

function beforeInParallel(steps: ModelStep[], index: number): number[] {
  const { group } = steps[index] ?? { group: null };
  const upTo = (end: number): number[] => Array.from({ length: end }, (_, before) => before);
  if (group !== null) return upTo(steps.findIndex((step) => step.group === group));
  return steps.slice(0, index).some((step) => step.group !== null) ? upTo(index) : [];
}
