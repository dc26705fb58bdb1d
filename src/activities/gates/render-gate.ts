import { render, renderToText } from '../../plan/references/evaluate.js';
import type { Scope } from '../../plan/references/evaluate.js';
import type { Gate } from '../../plan/gates/gate.js';
import { LOST_OPTIONS, MESSAGE_CHARACTERS } from '../../plan/gates/gate.js';
import type { Recovery } from '../../plan/outcomes/flash-recovery.js';
import { RECOVERY_OPTIONS } from '../../plan/outcomes/flash-recovery.js';
import { cutTo } from '../../plan/text/cut-to.js';
import type { Json } from '../../plan/values/json.js';
import type { Plan, PlanBody } from '../../plan/plan.js';
import type { ApprovalStep, AskStep, Block, GateRules } from '../../plan/step.js';
import { plannerOf } from '../../plan/agents/planned-by.js';
import { templatesOf } from '../../plan/references/step-references.js';
import type { Store } from '../../store/store.js';
import type { Activities, GateCall } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure } from '../failures.js';
import type { Shown } from '../values/content-hash.js';
import { gateHashOf } from '../values/content-hash.js';
import { blockAt, loadBody, loadStep, stepAt } from '../values/load-step.js';
import { loadDevice } from '../devices/load-device.js';
import { hasLastGood } from '../devices/last-good.js';
import { fallbackOf } from './chosen-fallback.js';
import { createScope } from '../values/template-scope.js';
import { shownCheckpoint } from './checkpoint.js';
import { shownCall } from '../turns/shown-call.js';

/**
 * Renders a gate: what it shows, with its hash over the content itself, stored or not, so that a person approves
 * exactly what was shown (decision 4); and who may decide.
 */
export function createRenderGate(deps: Dependencies): Activities['renderGate'] {
  const { store } = deps;
  return async (call) => {
    if (call.question !== undefined) return askedGate(store, call, call.question);
    if (call.tool !== undefined) return toolGate(deps, call, call.tool);
    if (call.checkpoint !== undefined)
      return fixedGate(store, call, 'checkpoint', {
        ...(await shownCheckpoint(store, call, call.checkpoint)),
        people: true,
      });
    const { step, ...place } = await loadGated(store, call);
    const scope = await createScope(store, call.environment, templatesOf(step));
    const shown = shownBy(step, scope);
    const hasContent = step.kind === 'approval' && step.content !== null;
    return {
      path: call.path,
      ...shown,
      content: hasContent ? await store.put(shown.content) : null,
      hash: gateHashOf(shown),
      since: call.since,
      ...ownRulesOf(step),
      ...teamOf(step, blockAt(place.body, call.step)),
      ...(step.kind === 'approval' ? fallbackOf(step, scope, place) : { fallback: 'abort' as const }),
      ...(step.deadline_ms === null ? {} : { deadline: after(call.since, step.deadline_ms) }),
      ...rulesOf(step.rules ?? {}, call, scope),
    };
  };
}

function shownBy(step: ApprovalStep | AskStep, scope: Scope): Shown {
  // What stands at its end may be empty, line by line.
  const message = cutTo(
    renderToText(step.kind === 'ask' ? step.question : step.message, scope).trimEnd(),
    MESSAGE_CHARACTERS,
  );
  const content = step.kind === 'ask' || step.content === null ? null : render(step.content, scope);
  const options = step.kind === 'ask' ? step.choices : (step.options ?? null);
  return { message, content, ...(options === null ? {} : { options }) };
}

/** What the Plan says of a gate of this kind, and no value changes. */
function ownRulesOf(step: ApprovalStep | AskStep): Pick<Gate, 'kind' | 'schema' | 'fixed' | 'default'> {
  const otherwise = step.default === undefined ? {} : { default: step.default };
  if (step.kind === 'approval') return { kind: step.kind, ...otherwise, ...(step.fixed ? { fixed: true } : {}) };
  return {
    kind: step.kind,
    ...otherwise,
    ...(step.schema === null || step.choices !== null ? {} : { schema: step.schema }),
  };
}

/** Who may have the tasks that it shows, where it shows those of a planner. */
function teamOf(step: ApprovalStep | AskStep, block: Block): Pick<Gate, 'team'> {
  const planner = step.kind === 'ask' || step.content === null ? null : plannerOf(block, step.content);
  return planner === null ? {} : { team: planner.tasks.team.map(({ name }) => name) };
}

/** The step itself decides which of the two kinds that open gates it is. */
async function loadGated(
  store: Store,
  call: GateCall,
): Promise<{ step: ApprovalStep | AskStep; plan: Plan; body: PlanBody }> {
  const { plan, body } = await loadBody(store, call.root, call.nested);
  const step = stepAt(body, call.step);
  if (step?.kind === 'approval' || step?.kind === 'ask') return { step, plan, body };
  throw stepFailure(
    'internal',
    `Expected step ${String(call.step)} of \`${body.name}\` to open a gate, got \`${step?.kind ?? 'none'}\`.`,
  );
}

/** A gate for one call of a tool: it shows exactly what would be done, and nothing of it can be changed. */
async function toolGate(
  deps: Dependencies,
  call: GateCall,
  tool: NonNullable<GateCall['tool']>,
): Promise<Gate | { refusal: string }> {
  const shown = await shownCall(deps, call, tool);
  return 'refusal' in shown ? shown : fixedGate(deps.store, call, 'tool', shown);
}

async function fixedGate(
  store: Store,
  { path, since }: GateCall,
  kind: 'tool' | 'checkpoint',
  { people, ...shown }: Shown & { people?: true },
): Promise<Gate> {
  const message = cutTo(shown.message, MESSAGE_CHARACTERS);
  return {
    path,
    kind,
    message,
    content: await store.put(shown.content),
    hash: gateHashOf({ ...shown, message }),
    fallback: 'abort',
    fixed: true,
    ...(people === undefined ? {} : { people }),
    since,
  };
}

/** A gate by which the interpreter itself asks. */
async function askedGate(store: Store, call: GateCall, question: string): Promise<Gate> {
  const { path, since, kind = 'lost' } = call;
  const options = kind === 'lost' ? [...LOST_OPTIONS] : await recoveryOptions(store, call);
  const shown = { message: cutTo(question, MESSAGE_CHARACTERS), content: null, options };
  return { path, kind, ...shown, hash: gateHashOf(shown), fallback: 'abort', since };
}

/** What can be done about a device: an image is restored where one is known to be good that fits the device. */
async function recoveryOptions(store: Store, call: GateCall): Promise<Recovery[]> {
  const { step } = await loadStep(store, call, 'flash');
  const { device } = step;
  // What is known of a device of another host is kept there.
  const canRestore = device.task_queue !== null || (await hasLastGood(store, await loadDevice(store, device)));
  return RECOVERY_OPTIONS.filter((option) => option !== 'restore' || canRestore);
}

function rulesOf(
  { approvers, not_submitter, not_deciders, quorum, reminder_ms, escalate }: GateRules,
  { since, submitter }: GateCall,
  scope: Scope,
): Partial<Gate> {
  const excluded = [
    ...(not_submitter ? [submitter] : []),
    ...(not_deciders === undefined ? [] : namesIn(render(not_deciders, scope))),
  ];
  return {
    ...(approvers === undefined ? {} : { approvers: someNames(render(approvers, scope), 'required_approver') }),
    ...(excluded.length === 0 ? {} : { excluded: [...new Set(excluded)] }),
    ...(quorum === undefined ? {} : { quorum }),
    ...(reminder_ms === undefined ? {} : { reminder_ms }),
    ...(escalate === undefined
      ? {}
      : {
          escalation: { at: after(since, escalate.after_ms), to: someNames(render(escalate.to, scope), 'escalate.to') },
        }),
  };
}

function after(since: string, ms: number): string {
  return new Date(Date.parse(since) + ms).toISOString();
}

/** All names in a value; whatever is no filled text names nobody. */
function namesIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return typeof value === 'string' && value.trim() !== '' ? [value.trim()] : [];
}

/** A gate that is for nobody would wait for ever. */
function someNames(value: Json, key: string): string[] {
  const names = [...new Set(namesIn(value))];
  if (names.length > 0) return names;
  throw stepFailure(
    'reference-missing',
    `Expected \`${key}\` to name at least one person, got \`${JSON.stringify(value)}\`.`,
  );
}
