import { joinPath, segmentOf } from '../../plan/plan.js';
import { comesAfter } from '../../plan/calls/comes-after.js';
import { runsAnew, mayChangeFiles, reuseFor } from '../../plan/calls/reuse.js';
import type { Reuse } from '../../plan/calls/short-call.js';
import { endStep, lastStepOf, startStep } from '../../plan/schedule/schedule.js';
import type { BlockStep, Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import { rootsOfStep } from '../../plan/references/step-references.js';
import { inline } from '../../plan/values/value.js';
import type { JournalEntry } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import { loadValue } from '../../store/transcript.js';
import type { StepKind } from '../../plan/names.js';
import { outputFor, programFor } from './known-output.js';
import type { Acting, Forecast, ForecastInput, Known, KnownScope, Placed } from './known-scope.js';
import { areKnown, holds, knownValue, startOf } from './known-scope.js';

/**
 * Tells what the journal proves of a rerun: it looks up each step whose content is known, and goes on from the results
 * that are there.
 */
export async function forecastReuse(input: ForecastInput): Promise<Forecast[]> {
  const top: KnownScope = {
    ...input,
    store: asFound(input),
    told: [],
    changing: [],
    agents: input.plan.agents,
    unattended: input.settings.gates === 'fallback',
    outer: null,
    body: input.plan,
    nested: null,
    path: '',
    blockPath: [],
    single: false,
    item: null,
    index: null,
    last: null,
    unknownInputs: new Set(),
    ...startOf(input.plan),
  };
  await lookThrough(top);
  return top.told;
}

/** The store as a rerun would find it: it has the Plan, and who takes a result over has it. Nothing is written. */
function asFound({ store, plan }: ForecastInput): Store {
  const taken = new Map<string, JournalEntry>();
  return {
    ...store,
    getPlan: (hash) => (hash === plan.hash ? Promise.resolve(plan) : store.getPlan(hash)),
    beginOnce: ({ key }, entry) => {
      const isFirst = !taken.has(key);
      if (isFirst) taken.set(key, entry);
      return Promise.resolve(isFirst);
    },
    readJournal: (key) => {
      const entry = taken.get(key.key);
      return entry === undefined ? store.readJournal(key) : Promise.resolve(entry);
    },
    writeJournal: () => Promise.resolve(),
  };
}

/** Looks at the steps of a scope in the order in which they run. Returns its output. */
async function lookThrough(scope: KnownScope): Promise<Known> {
  const { schedule, unknown } = scope;
  for (let [index] = schedule.ready; index !== undefined; [index] = schedule.ready) {
    const step = schedule.body.steps[index];
    if (step === undefined) break;
    startStep(schedule, index);
    const runs = step.when === null ? true : await holds(scope, step.when);
    if (runs === false) {
      endStep(schedule, index, { status: 'skipped', reason: '`when` is false' });
      continue;
    }
    const isSure = runs === true && !mayBeTaken(scope, step);
    const output = isSure ? await lookAt(scope, step) : await lookAtDoubtful(scope, step);
    if (output === undefined) unknown.add(index);
    endStep(schedule, index, { status: 'success', output: output ?? null });
  }
  const { output } = schedule.body;
  if (output !== null) return knownValue(scope, output);
  const last = lastStepOf(schedule.body)?.index ?? -1;
  return unknown.has(last) ? undefined : (schedule.steps[last]?.output ?? null);
}

/** Tells whether a step commits: when it begins, the work tree tells whether its commit is taken over. */
function mayBeTaken({ settings: { reuse }, path, single }: KnownScope, step: Step): boolean {
  if (step.commit === undefined || reuse?.in_tree !== true) return false;
  return !runsAnew(single ? path : joinPath(path, segmentOf(step)), reuse.fresh);
}

/** Looks at a step of which nobody knows whether it runs: nothing of it runs for certain. */
async function lookAtDoubtful(scope: KnownScope, step: Step): Promise<undefined> {
  const from = scope.told.length;
  await lookAt(scope, step);
  for (const told of scope.told.slice(from))
    if (told.action === 'run' || told.action === 'refuse') told.action = 'may_run';
}

/** What is told of steps that have no result to take over; a `plan` step's text is approved anew before it runs. */
const TOLD = {
  approval: ['ask'],
  ask: ['ask'],
  plan: ['ask', 'run'],
  compile: ['run'],
  flash: ['run'],
  serial: ['run'],
  wait: [],
} satisfies Partial<Record<StepKind, Forecast['action'][]>>;

function lookAt(scope: KnownScope, step: Step): Known | Promise<Known> {
  const path = scope.single ? scope.path : joinPath(scope.path, segmentOf(step));
  switch (step.kind) {
    case 'agent':
    case 'command':
    case 'tool':
      return lookUp(scope, { step, path });
    case 'set':
      return knownValue(scope, { kind: 'map', entries: step.values });
    case 'workflow':
      return lookBelow(scope, { step, path });
    case 'foreach':
      return lookAtItems(scope, { step, path });
    case 'loop':
      return lookAtRounds(scope, { step, path });
    default:
      for (const action of TOLD[step.kind]) tell(scope, { step, path }, action);
      return undefined;
  }
}

/** Notes what is known of a step whose output nobody knows. */
function tell(scope: KnownScope, { step, path }: Placed<Step>, action: Forecast['action']): undefined {
  const told = { path, action };
  scope.told.push(told);
  if ((action === 'run' || action === 'may_run') && changesFiles(scope, step)) scope.changing.push(told);
}

/** Tells whether a step may change files where it runs; of one that stands for what is in it nobody knows. */
function changesFiles(scope: KnownScope, step: Step): boolean {
  if (step.kind === 'plan' || isBlockStep(step)) return true;
  return mayChangeFiles(step, scope.agents, playedByProgram(scope, step));
}

function playedByProgram(scope: KnownScope, step: Step): boolean {
  return step.kind === 'agent' && programFor(scope, step) !== null;
}

/**
 * What is told of a step that may depend on files which a step that runs may change: what looks around runs for certain
 * after one that does; what names them is looked up as they are then, also beside such a step.
 */
function afterChanges(
  { plan, changing }: KnownScope,
  { step, path, reuse }: Placed<Acting> & { reuse: Reuse },
): 'run' | 'may_run' | null {
  if (reuse.never === true) return null;
  const before = reuse.looks === true ? changing.filter((one) => comesAfter(plan, path, one.path)) : [];
  if (before.some(({ action }) => action === 'run')) return 'run';
  const names = step.kind === 'command' && step.reads.length > 0;
  return before.length > 0 || (names && changing.length > 0) ? 'may_run' : null;
}

async function lookUp(scope: KnownScope, { step, path }: Placed<Acting>): Promise<Known> {
  const { settings, agents } = scope;
  if (!areKnown(rootsOfStep(step), scope)) return tell(scope, { step, path }, 'may_run');
  if (settings.reuse === undefined) return tell(scope, { step, path }, 'run');
  const byProgram = playedByProgram(scope, step);
  const { done, ...reuse } = reuseFor(settings.reuse, { step, path, agents, byProgram });
  const changed = afterChanges(scope, { step, path, reuse });
  if (changed !== null) return tell(scope, { step, path }, changed);
  const found = await outputFor(scope, { step, path, reuse });
  if (found === null) return tell(scope, { step, path }, done === true ? 'refuse' : 'run');
  scope.told.push({ path, action: 'reuse' });
  return found.output;
}

async function lookBelow(scope: KnownScope, { step, path }: Placed<Step & { kind: 'workflow' }>): Promise<Known> {
  const body = scope.plan.nested[step.plan];
  if (body === undefined) return undefined;
  const values = await Promise.all(
    Object.entries(step.inputs).map(async ([name, template]) => [name, await knownValue(scope, template)] as const),
  );
  return lookThrough({
    ...scope,
    outer: null,
    body,
    nested: step.plan,
    path,
    blockPath: [],
    single: false,
    item: null,
    index: null,
    last: null,
    input: Object.fromEntries(values.flatMap(([name, value]) => (value ? [[name, value] as const] : []))),
    unknownInputs: new Set(values.flatMap(([name, value]) => (value ? [] : [name]))),
    ...startOf(body),
  });
}

/** The scope of one item or one round. */
function innerScope(
  scope: KnownScope,
  { step, path }: Placed<BlockStep>,
  round: Pick<KnownScope, 'index' | 'item' | 'last'>,
): KnownScope {
  return {
    ...scope,
    ...round,
    outer: scope,
    path: joinPath(path, String(round.index)),
    blockPath: [...scope.blockPath, step.index],
    single: step.body.single,
    ...startOf(step.body),
  };
}

async function lookAtItems(scope: KnownScope, placed: Placed<Step & { kind: 'foreach' }>): Promise<Known> {
  const { store } = scope;
  const list = await knownValue(scope, placed.step.items);
  const items = list ? await loadValue(list, store) : undefined;
  if (!Array.isArray(items)) return tell(scope, placed, 'may_run');
  const outputs: Known[] = [];
  for (const [index, item] of items.entries())
    outputs.push(await lookThrough(innerScope(scope, placed, { index, item: inline(item), last: null })));
  if (outputs.includes(undefined)) return undefined;
  return store.put(await Promise.all(outputs.map(async (output) => (output ? loadValue(output, store) : null))));
}

/** Looks at the rounds of a loop up to the first of which something is not known. */
async function lookAtRounds(scope: KnownScope, placed: Placed<Step & { kind: 'loop' }>): Promise<Known> {
  const { step } = placed;
  let output: Known;
  let last: KnownScope['last'] = null;
  for (let index = 0; index < step.max; index++) {
    const round: KnownScope = innerScope(scope, placed, { index, item: null, last });
    output = await lookThrough(round);
    if (round.unknown.size > 0) return index + 1 < step.max ? tell(scope, placed, 'may_run') : undefined;
    if ((await holds(round, step.until)) === true) break;
    last = round.schedule;
  }
  return output;
}
