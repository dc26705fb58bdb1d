import type { Gate } from '../../plan/gates/gate.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { narrationOf } from '../../plan/narration/narration.js';
import type { RunResult, StepResult } from '../../plan/result.js';
import type { Value } from '../../plan/values/value.js';
import { isStored } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import type { OpenGate, RunView, StepView } from '../observe/view/view.js';
import { taskCosts } from '../observe/task-costs.js';
import { workedMs } from '../observe/worked.js';
import { answerCommands } from './gate-words.js';

/** Values are inlined into `--json` up to this many bytes all together; beyond, a reference stands for them. */
const INLINED_BYTES = 1024 * 1024;

/** A run as `--json` of `run`, `show` and `watch` prints it (docs/cli.md). */
export async function toRunResult(view: RunView, store: Store): Promise<RunResult> {
  const load = createLoader(store);
  const narration = narrationOf(view.path === '' ? await store.readNarration(view.run) : []);
  const costs = await taskCosts(view, store);
  return {
    run: view.run,
    plan: view.plan,
    status: view.status,
    output: await load(view.output),
    error: view.error,
    steps: await stepResults(view.steps, load),
    spend: view.spend,
    ...(costs === null ? {} : { costs }),
    budget: executionBudget(view),
    rehearsal: view.rehearsal,
    ...(view.branch === undefined ? {} : { branch: view.branch }),
    ...(narration === null ? {} : { narration }),
    ...(view.remembered === undefined ? {} : { remembered: view.remembered.map((one) => ({ ...one })) }),
    started_at: new Date(view.startedAt).toISOString(),
    ended_at: view.endedAt === null ? null : new Date(view.endedAt).toISOString(),
  };
}

type Load = (value: Value | null) => Promise<Json>;

/** Inlines a value while there is room, else names where it stands. */
function createLoader(store: Store): Load {
  let left = INLINED_BYTES;
  return async (value) => {
    if (value === null) return null;
    if (!isStored(value)) return value.value;
    const { ref, bytes, preview } = value;
    if (bytes > left) return { ref, bytes, preview: preview ?? null };
    left -= bytes;
    return store.get(ref);
  };
}

async function stepResults(steps: StepView[], load: Load): Promise<Json[]> {
  const results: Json[] = [];
  for (const step of steps) results.push(await stepResult(step, load));
  return results;
}

/** A step in the words of the documented JSON; one that has not ended has its status and no output. */
async function stepResult(view: StepView, load: Load): Promise<JsonObject> {
  const { result, step } = view;
  const ended = result === null ? notEnded(view) : await endedStep(result, load);
  return {
    ...ended,
    path: view.path,
    kind: step.kind,
    ...(view.model === null ? {} : { model: view.model }),
    ...(step.parallel_group === null ? {} : { parallel_group: step.parallel_group }),
    ...(await belowStep(view, load)),
  };
}

async function belowStep(view: StepView, load: Load): Promise<JsonObject> {
  const {
    nested,
    step: { kind },
  } = view;
  return {
    ...(nested === null ? {} : { steps: await stepResults(nested.steps, load) }),
    ...(kind === 'foreach' ? { items: await roundResults(view, load) } : {}),
    ...(kind === 'loop' ? { iterations: await roundResults(view, load) } : {}),
  };
}

async function roundResults(view: StepView, load: Load): Promise<Json[]> {
  const results: Json[] = [];
  for (const { index, path, status, output, error, partial, duration_ms, spend, single, steps } of view.rounds) {
    const [only] = single ? steps : [];
    const below =
      only === undefined
        ? { steps: await stepResults(steps, load) }
        : { ...shownGate(only), reused: only.result?.reused ?? false, ...(await belowStep(only, load)) };
    results.push({
      index,
      path,
      status,
      output: await load(output),
      error,
      ...(partial === undefined ? {} : { partial }),
      duration_ms,
      spend: { ...spend },
      ...below,
    });
  }
  return results;
}

function notEnded(view: StepView): JsonObject {
  const { step, status, actor, attempt } = view;
  return {
    id: step.id,
    step_index: step.index,
    agent: actor,
    status,
    output: null,
    error: null,
    attempts: status === 'running' ? attempt : 0,
    ...shownGate(view),
  };
}

function shownGate({ path, gate }: StepView): JsonObject {
  return gate === null
    ? {}
    : {
        gate: {
          path,
          kind: gate.kind,
          message: gate.message,
          hash: gate.hash,
          since: gate.since,
          ...(gate.options === undefined ? {} : { options: gate.options }),
          ...(gate.deadline === undefined ? {} : { deadline: gate.deadline }),
        },
      };
}

async function endedStep(result: StepResult, load: Load): Promise<JsonObject> {
  const {
    id,
    step_index,
    agent,
    status,
    output,
    error,
    failure,
    note,
    attempts,
    duration_ms,
    reused,
    run,
    spend,
    partial,
    decided_by,
    comment,
  } = result;
  return {
    id,
    step_index,
    agent,
    status,
    output: await load(output),
    error,
    failure,
    note,
    attempts,
    duration_ms,
    reused,
    run,
    spend: { ...spend },
    ...(partial === undefined ? {} : { partial }),
    ...(decided_by === undefined ? {} : { decided_by }),
    ...(comment === undefined ? {} : { comment }),
  };
}

/**
 * The documented ExecutionBudget beside the limits themselves. The deadline moves while only people are waited for,
 * whose time does not count.
 */
export function executionBudget(view: RunView): JsonObject {
  const { budget, endedAt, pause, warnings = [] } = view;
  const used = view.charged ?? view.spend;
  const now = endedAt ?? Date.now();
  const { max_steps, max_runtime_mins, max_cost_usd, max_parallel, max_tokens } = budget;
  return {
    ...budget,
    steps_remaining: max_steps === null ? null : Math.max(0, max_steps - used.steps),
    parallel_slots: max_parallel,
    runtime_deadline:
      max_runtime_mins === null || pause
        ? null
        : new Date(now - workedMs(view, now) + max_runtime_mins * 60_000).toISOString(),
    tokens_remaining: max_tokens === null ? null : Math.max(0, max_tokens - used.tokens),
    warnings: warnings.map(({ message }) => message),
    cost_remaining_usd: max_cost_usd === null || used.usd === null ? null : Math.max(0, max_cost_usd - used.usd),
  };
}

/** An open gate as `list --waiting --json` prints it. */
export function toGateJson(open: OpenGate): JsonObject {
  const { path: _path, content, votes, first: _first, ...gate } = open.gate;
  const shown =
    content === null
      ? null
      : isStored(content)
        ? { ref: content.ref, bytes: content.bytes, preview: content.preview ?? null }
        : content.value;
  return {
    gate: open.address,
    ...asJson(gate),
    content: shown,
    ...(votes === undefined ? {} : { decided_by: votes.map(({ by }) => by) }),
    command: answerCommands(open)[0] ?? null,
  };
}

function asJson({ escalation, ...gate }: Omit<Gate, 'path' | 'content' | 'votes' | 'first'>): JsonObject {
  return { ...gate, ...(escalation === undefined ? {} : { escalation: { ...escalation } }) };
}
