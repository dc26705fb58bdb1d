/**
 * The reference model: what a workflow must come to, written from the language reference and not from the code. It
 * imports nothing of `src/`. A definition is in authored form, so it judges the compiler and the interpreter as one.
 */
export interface ModelStep {
  id: string;
  /** What its command says before what it refers to, and its exit code; or the nested definition that it runs. */
  act: { kind: 'command'; code: number } | { kind: 'workflow'; workflow: ModelWorkflow };
  /** Runs as a local activity: it makes no difference to what comes of it. */
  quick: boolean;
  refers: { to: number; fallback: string | null }[];
  needs: number[];
  group: string | null;
  on_error: OnError | null;
  /** Runs only when this earlier step has (or has not) succeeded. */
  when: { step: number; succeeded: boolean } | null;
}

export type OnError = 'continue' | 'stop' | 'skip_dependents';
export interface ModelWorkflow {
  name: string;
  mode: 'sequential' | 'parallel' | 'dag';
  steps: ModelStep[];
}

export interface Expected {
  status: 'success' | 'partial' | 'error';
  /** `output` null: there is none, whatever the status. */
  steps: { status: 'success' | 'error' | 'skipped'; output: string | null }[];
  /** Pairs [before, after]: the first must have ended when the second starts, where both ran. */
  order: [number, number][];
  output: string | null;
  /** Steps that acted, nested ones included. */
  spent: number;
}

const DEFAULT: Record<ModelWorkflow['mode'], OnError> = { sequential: 'stop', parallel: 'continue', dag: 'skip_dependents' };

/** Plays a workflow. Only `sequential` ones may hold a `stop`: elsewhere what it hits is a matter of time. */
export function play(workflow: ModelWorkflow): Expected {
  const order = orderOf(workflow);
  const steps: Expected['steps'] = [];
  const doomed = new Set<number>();
  let stopped = false;
  let spent = 0;
  workflow.steps.forEach((step, index) => {
    const skip = stopped || doomed.has(index) || !holds(step, steps);
    if (doomed.has(index)) dependentsOf(workflow, index).forEach((dependent) => doomed.add(dependent));
    if (skip) return void steps.push({ status: 'skipped', output: null });
    const end = act(step, steps);
    spent += end.spent;
    steps.push(end);
    if (end.status !== 'error') return;
    const policy = step.on_error ?? DEFAULT[workflow.mode];
    if (policy === 'stop') stopped = true;
    if (policy === 'skip_dependents') dependentsOf(workflow, index).forEach((dependent) => doomed.add(dependent));
  });
  return { status: statusOf(steps, stopped), steps, order, output: steps.at(-1)?.output ?? null, spent };
}

function holds({ when }: ModelStep, before: Expected['steps']): boolean {
  return when === null || (before[when.step]?.status === 'success') === when.succeeded;
}

function act(step: ModelStep, before: Expected['steps']): { status: 'success' | 'error'; output: string | null; spent: number } {
  const values = step.refers.map(({ to, fallback }) => before[to]?.output ?? fallback ?? '');
  if (step.act.kind === 'command') {
    return step.act.code === 0 ? { status: 'success', output: `${step.id}(${values.join(',')})`, spent: 1 } : { status: 'error', output: null, spent: 1 };
  }
  const nested = play(step.act.workflow);
  return nested.status === 'error' ? { status: 'error', output: null, spent: nested.spent } : { status: 'success', output: nested.output, spent: nested.spent };
}

function statusOf(steps: Expected['steps'], stopped: boolean): Expected['status'] {
  if (!steps.some(({ status }) => status === 'error')) return 'success';
  return !stopped && steps.some(({ status }) => status === 'success') ? 'partial' : 'error';
}

/**
 * Steps that go without when this one fails and its policy is `skip_dependents`: those with `needs` or a reference to
 * it, except where there is no `needs` and every reference to it has a `??` or reads its status alone.
 */
function dependentsOf({ steps }: ModelWorkflow, index: number): number[] {
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
