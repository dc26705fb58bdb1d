import type { Template } from '../../plan/values/expression.js';
import { BATCH_ITEMS, needsBatches } from '../../plan/schedule/batch-run.js';
import { MOST_TASKS } from '../../plan/builds/task.js';
import type { PlanningStep } from '../../plan/agents/planned-by.js';
import { plannerOf } from '../../plan/agents/planned-by.js';
import type { Plan } from '../../plan/plan.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import { DEFAULT_BUDGETS } from '../../plan/budget/budgets.js';
import type { ProgramName } from '../../plan/agents/program.js';
import { isOpenToPrograms } from '../../plan/agents/program.js';
import { redoneBy } from '../../plan/schedule/rework.js';
import type { AgentStep, Block, ForeachStep, Step, PlanStep } from '../../plan/step.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import type { CallSizes } from './forecast-calls.js';
import { callSizes } from './forecast-calls.js';

/**
 * Temporal events of a run's own: started, one workflow task, closing, its status, ended. The parts below are measured
 * from stored histories.
 */
const RUN = 7;
/** An activity's three events and the workflow task that takes its result. */
const TRY = 6;
/** Between two tries: a timer's two events and a workflow task. */
const BACKOFF = 5;
/**
 * What a gate shows, two changes of the memo and of the status, an update's two events, what people wrote, a workflow
 * task.
 */
const GATE = 11;
/** A child's three events with two workflow tasks, and a timer's two. */
const CHILD = 11;
const TIMER = 5;
/** The clock of a run's time: two timers, the warning, and the end of what runs. */
const CLOCK = 14;
/** A value that is evaluated outside of the workflow. */
const MARKER = 1;
/**
 * A nested run claims something of the run above and is given it: a signal each way, sent and received, with their
 * workflow tasks.
 */
const CLAIM = 18;
/** A device is asked for, granted by a signal that starts a workflow task, and given back. */
const LEASE = 6;
/** Before it continues as new a run has so many steps; the next link begins like a run. */
const STEPS_OF_A_LINK = 500;
/** An answer that does not fit its schema is asked for again, at most so often. */
const ASKED_AGAIN = 2;

/**
 * What a run of a Plan may take at most, and what it takes at least. Counts are those of one item where a list is not
 * known.
 */
export interface Forecast {
  /** Steps that act or ask, over the whole tree, if every condition holds (decision 2). */
  steps: number;
  /** Temporal events of the whole tree, if every try is needed. */
  events: number;
  /** Events beyond these, if limits hold nested runs back at each step: they then claim what they need from above. */
  leases: number;
  /** Model calls by model and what they hold; `least` leaves out what stands under a condition. */
  calls: ModelCalls[];
  /** Bodies whose number of items is known only when they run. */
  perItem: PerItem[];
}

export interface ModelCalls extends CallSizes {
  /** The model's name as definitions write it; empty where none is written. */
  model: string;
  /** The program that plays the agent: each call is then a conversation of its own. */
  program?: string;
  /** Settings of the model, which may bound its answers. */
  params?: JsonObject;
  least: number;
  most: number;
  /** Agents that have tools: of each the first turn alone is counted, for no Plan says how many it takes. */
  openEnded?: string[];
}

/** What one further item of a list adds. */
export interface PerItem {
  path: string;
  items: Template;
  steps: number;
  calls: number;
}

/**
 * Counts what a Plan may do. Each nested workflow is counted once and multiplied, so this takes time linear in the
 * Plan. `usual` is the program that plays agents which name none (`agents.default`); with `only` no other of the Plan's
 * own steps are counted, by index.
 */
export function forecastOf(plan: Plan, usual: ProgramName | null = null, only?: ReadonlySet<number>): Forecast {
  const known = new Map<Hash, Forecast>();

  const ofBlock = (block: Block): Forecast => {
    const counted = block.steps.filter(({ index }) => only === undefined || block !== plan || only.has(index));
    return sum(counted.map((step) => again(ofStep(step, block), 1 + timesSentBack(block, step.index))));
  };

  const ofStep = (step: Step, block: Block): Forecast => {
    const own = ofKind(step, block);
    const marker = step.when === null ? 0 : MARKER;
    const deadline = step.deadline_ms === null || step.kind === 'workflow' ? 0 : TIMER + MARKER;
    const isCertain = step.when === null || (step.when.kind === 'literal' && step.when.value === true);
    return {
      ...own,
      events: own.events + marker + deadline,
      calls: isCertain ? own.calls : own.calls.map((call) => ({ ...call, least: 0 })),
    };
  };

  const ofKind = (step: Step, block: Block): Forecast => {
    switch (step.kind) {
      case 'agent':
        return { ...acting(step), calls: [{ ...callsOf(plan, block, step), ...playerOf(plan, step, usual) }] };
      case 'command':
      case 'compile':
        return acting(step);
      case 'tool': {
        // The call is looked at before, and a person may be asked.
        const own = acting(step);
        return { ...own, events: own.events + GATE };
      }
      case 'flash':
      case 'serial': {
        // The keeper of devices is asked, and answers.
        const own = acting(step);
        return { ...own, events: own.events + LEASE };
      }
      case 'approval':
      case 'ask':
        return { ...NOTHING, steps: 1, events: GATE };
      case 'set':
        return { ...NOTHING, events: MARKER };
      case 'wait':
        return { ...NOTHING, events: TIMER + MARKER };
      case 'workflow':
        return ofNested(step.plan, segmentOf(step), step.retry.attempts);
      case 'plan':
        return ofMade(step, block);
      case 'foreach':
        return ofForeach(step);
      case 'loop': {
        const round = below(ofBlock(step.body), segmentOf(step));
        return again({ ...round, events: round.events + MARKER }, step.max);
      }
    }
  };

  const ofNested = (hash: Hash, segment: string, attempts: number): Forecast => {
    const body = plan.nested[hash];
    if (body === undefined) return NOTHING;
    const counted = known.get(hash) ?? withLinks(ofBlock(body), RUN + outputMarker(body.output));
    known.set(hash, counted);
    const nested = below(counted, segment);
    const tried = again(
      { ...nested, events: nested.events + CHILD, leases: nested.leases + CLAIM * nested.steps },
      attempts,
    );
    return { ...tried, events: tried.events + BACKOFF * (attempts - 1) };
  };

  /** What is made later is known by its limits only, a build's tasks not even by these; of others, who may do them. */
  const ofMade = ({ budgets, limits, message, source }: PlanStep, block: Block): Forecast => {
    const planner = plannerOf(block, source);
    const steps = planner === null ? (budgets.max_steps ?? 0) : Math.min(limits?.max_steps ?? MOST_TASKS, MOST_TASKS);
    const events = CHILD + RUN + MARKER + (message === null ? 0 : GATE) + steps * TRY;
    const calls = planner === null ? [] : callsOfTeam(plan, block, planner);
    return { ...NOTHING, steps, events, calls: calls.map((call) => ({ ...call, least: 0, most: steps })) };
  };

  const ofForeach = (step: ForeachStep): Forecast => {
    const item = below(ofBlock(step.body), segmentOf(step));
    const length = lengthOf(step.items);
    if (length !== null) return withMarker(withBatches(times(item, length), step, length));
    const calls = item.calls.reduce((most, call) => (call.program === undefined ? most + call.most : most), 0);
    const entry: PerItem = { path: segmentOf(step), items: step.items, steps: item.steps, calls };
    // A list may be empty, too.
    return withMarker({
      ...item,
      calls: item.calls.map((call) => ({ ...call, least: 0 })),
      perItem: [entry, ...item.perItem],
    });
  };

  const clock = plan.budgets.max_runtime_mins === null ? 0 : CLOCK;
  const { leases, ...whole } = withLinks(ofBlock(plan), RUN + clock + outputMarker(plan.output));
  return { ...whole, leases: isTight(plan, whole.steps) ? leases : 0 };
}

/**
 * Tells whether a limit may hold nested runs back: of steps, or of what may run at once. What else is limited, nobody
 * knows before.
 */
function isTight({ budgets, no_default = [] }: Plan, steps: number): boolean {
  const limit = (name: 'max_steps' | 'max_parallel'): number =>
    budgets[name] ?? (no_default.includes(name) ? null : DEFAULT_BUDGETS[name]) ?? Infinity;
  return steps > Math.min(limit('max_steps'), limit('max_parallel'));
}

/** How often rejections may send a step back at most: each gate does so often enough by itself. */
function timesSentBack(block: Block, index: number): number {
  return block.steps.reduce(
    (sum, gate) =>
      gate.kind === 'approval' && gate.rework !== undefined && redoneBy(block, gate.index).has(index)
        ? sum + gate.rework.max
        : sum,
    0,
  );
}

const NOTHING: Forecast = { steps: 0, events: 0, leases: 0, calls: [], perItem: [] };

function acting({ retry: { attempts } }: Step): Forecast {
  return { ...NOTHING, steps: 1, events: TRY * attempts + BACKOFF * (attempts - 1) };
}

function callsOf(plan: Plan, block: Block, step: AgentStep): ModelCalls {
  const agent = plan.agents[step.agent];
  const model = step.model ?? agent?.model ?? '';
  // A try that no answer came of is not counted: only transient failures are tried again, and they cost nothing.
  const most = step.schema === null ? 1 : 1 + ASKED_AGAIN;
  const openEnded = agent?.uses === undefined || agent.uses.length === 0 ? {} : { openEnded: [agent.name] };
  const params = agent?.params === undefined ? {} : { params: agent.params };
  return { model, least: 1, most, ...callSizes(plan, block, step), ...openEnded, ...params };
}

/** A call of each who may be given tasks. */
function callsOfTeam(plan: Plan, block: Block, planner: PlanningStep): ModelCalls[] {
  return planner.tasks.team.flatMap(({ agent }) =>
    agent === undefined
      ? []
      : [callsOf(plan, block, { ...planner, agent, prompt: null, inputs: {}, model: null, schema: null })],
  );
}

function playerOf({ agents }: Plan, step: AgentStep, usual: ProgramName | null): Pick<ModelCalls, 'program'> {
  const agent = agents[step.agent];
  const program = agent?.program ?? (isOpenToPrograms(step, agent) ? usual : null);
  return program === null ? {} : { program };
}

function sum(parts: Forecast[]): Forecast {
  return {
    steps: parts.reduce((total, { steps }) => total + steps, 0),
    events: parts.reduce((total, { events }) => total + events, 0),
    leases: parts.reduce((total, { leases }) => total + leases, 0),
    calls: merged(parts.flatMap(({ calls }) => calls)),
    perItem: parts.flatMap(({ perItem }) => perItem),
  };
}

/** Calls of one model with the same settings as one entry: the sizes are then those of an average call. */
function merged(calls: ModelCalls[]): ModelCalls[] {
  const byModel = new Map<string, ModelCalls>();
  for (const call of calls) {
    const key = `${call.program ?? ''} ${call.model} ${JSON.stringify(call.params)}`;
    const other = byModel.get(key);
    if (other === undefined) byModel.set(key, call);
    else {
      const share = (size: keyof CallSizes): number =>
        (other[size] * other.most + call[size] * call.most) / Math.max(1, other.most + call.most);
      const openEnded = [...new Set([...(other.openEnded ?? []), ...(call.openEnded ?? [])])];
      byModel.set(key, {
        ...other,
        least: other.least + call.least,
        most: other.most + call.most,
        ...(openEnded.length === 0 ? {} : { openEnded }),
        literal: share('literal'),
        referred: share('referred'),
      });
    }
  }
  return [...byModel.values()];
}

function times(one: Forecast, factor: number): Forecast {
  return {
    steps: one.steps * factor,
    events: one.events * factor,
    leases: one.leases * factor,
    calls: one.calls.map((call) => ({ ...call, least: call.least * factor, most: call.most * factor })),
    perItem: one.perItem,
  };
}

/** What may happen so often, and happens once for certain. */
function again(one: Forecast, most: number): Forecast {
  return { ...times(one, most), calls: one.calls.map((call) => ({ ...call, most: call.most * most })) };
}

/** A long list of nested runs goes through batch runs, which are runs of their own. */
function withBatches(items: Forecast, step: ForeachStep, count: number): Forecast {
  return needsBatches(step, count)
    ? { ...items, events: items.events + (RUN + CHILD) * Math.ceil(count / BATCH_ITEMS) }
    : items;
}

function below(inner: Forecast, segment: string): Forecast {
  return { ...inner, perItem: inner.perItem.map((entry) => ({ ...entry, path: joinPath(segment, entry.path) })) };
}

function withMarker(inner: Forecast): Forecast {
  return { ...inner, events: inner.events + MARKER };
}

function withLinks(body: Forecast, once: number): Forecast {
  return { ...body, events: body.events + once * Math.max(1, Math.ceil(body.steps / STEPS_OF_A_LINK)) };
}

function outputMarker(output: Template | null): number {
  return output === null ? 0 : MARKER;
}

/** How many items a list has that is written out; null where nobody knows before. */
export function lengthOf(items: Template): number | null {
  if (items.kind === 'list') return items.items.length;
  return items.kind === 'literal' && Array.isArray(items.value) ? items.value.length : null;
}
