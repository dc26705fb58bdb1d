import type { BindingSource } from '../../plan/schedule/bindings.js';
import { bind } from '../../plan/schedule/bindings.js';
import { evaluate, isTrue, render } from '../../plan/references/evaluate.js';
import type { Environment } from '../../plan/references/environment.js';
import { OUTER, rootsOf } from '../../plan/values/expression.js';
import type { Root, Template } from '../../plan/values/expression.js';
import type { Json } from '../../plan/values/json.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import type { Plan, PlanBody } from '../../plan/plan.js';
import type { ProgramChoice } from '../../plan/agents/program.js';
import { programAddress, programOf } from '../../plan/agents/program.js';
import { accessOf } from '../../plan/agents/program-access.js';
import { folderOf, reuseFor } from '../../plan/calls/reuse.js';
import type { RunSettings } from '../../plan/run-input.js';
import type { Reuse } from '../../plan/calls/short-call.js';
import { createSchedule, endStep, lastStepOf, startStep } from '../../plan/schedule/schedule.js';
import type { AgentStep, BlockStep, CommandStep, Step, ToolStep } from '../../plan/step.js';
import { modelKeyOf } from '../../plan/step.js';
import { rootsOfStep, templatesOf } from '../../plan/references/step-references.js';
import type { Hash, Value } from '../../plan/values/value.js';
import { inline } from '../../plan/values/value.js';
import { loadValue } from '../../store/transcript.js';
import type { Store } from '../../store/store.js';
import { createCommandRequest } from '../commands/command-request.js';
import { offeredTools } from '../turns/offered-tools.js';
import type { StepOutput } from '../contract.js';
import type { ModelRequest } from '../models/protocol/provider.js';
import { createRequest } from '../models/request.js';
import { createScope } from '../values/template-scope.js';
import { createToolRequest, reusedCall } from '../tool-steps/tool-request.js';
import { contentKey, modelContent, programContent, reusedOutput } from '../reuse/content-key.js';
import { commandContent } from '../commands/command-content.js';
import { locate } from '../../store/folders/places.js';

/**
 * What a rerun would do about one step that acts or asks; `path` is below the root run. Of what nobody can look into
 * before it runs, the path of the whole stands: of a foreach whose items are not known, a later round, a made workflow.
 */
export interface Forecast {
  path: string;
  /** `refuse`: its external effect has happened, and it is given something else now. */
  action: 'reuse' | 'run' | 'ask' | 'refuse';
}

/** Where a rerun is foretold: nothing is started, nothing is written but values that are too big to be inline. */
export interface ForecastInput {
  store: Store;
  plan: Plan;
  input: Record<string, Value>;
  settings: RunSettings;
  /** How many rounds the loop at a path went in the run before. */
  roundsBefore: (path: string) => number;
}

interface Simulation extends ForecastInput {
  told: Forecast[];
}

/** A scope of the play. Of unknown steps nobody knows the output before they have run. */
interface SimulatedScope extends BindingSource {
  outer: SimulatedScope | null;
  body: PlanBody;
  nested: Hash | null;
  path: string;
  /** Indexes of the blocks around it, as the interpreter finds its steps. */
  blockPath: number[];
  single: boolean;
  unknown: Set<number>;
  unknownInputs: Set<string>;
}

/**
 * Plays a rerun by the rules of the interpreter, as far as results are there to be reused. What depends on a step that
 * will run is taken to run too: its result may come out the same, and then costs nothing after all.
 */
export async function forecastReuse(input: ForecastInput): Promise<Forecast[]> {
  const simulation: Simulation = { ...input, told: [] };
  await playScope(
    simulation,
    simulatedScope(simulation, { body: input.plan, nested: null, path: '', input: input.input }),
  );
  return simulation.told;
}

function simulatedScope(
  simulation: Simulation,
  { body, nested, path, input }: { body: PlanBody; nested: Hash | null; path: string; input: SimulatedScope['input'] },
): SimulatedScope {
  return {
    body,
    nested,
    path,
    input,
    agents: simulation.plan.agents,
    outer: null,
    item: null,
    index: null,
    last: null,
    blockPath: [],
    single: false,
    unknown: new Set(),
    unknownInputs: new Set(),
    schedule: createSchedule(body),
  };
}

async function playScope(simulation: Simulation, scope: SimulatedScope): Promise<void> {
  for (let [index] = scope.schedule.ready; index !== undefined; [index] = scope.schedule.ready) {
    const step = scope.schedule.body.steps[index];
    if (step === undefined) return;
    startStep(scope.schedule, index);
    const end = await playStep(simulation, scope, step);
    if (end === 'unknown') scope.unknown.add(index);
    endStep(
      scope.schedule,
      index,
      end === 'skipped'
        ? { status: 'skipped', reason: '`when` is false' }
        : { status: 'success', output: end === 'unknown' ? null : end },
    );
  }
}

/** A step's output as it will be; null is none. */
type Played = Value | null | 'unknown' | 'skipped';

async function playStep(simulation: Simulation, scope: SimulatedScope, step: Step): Promise<Played> {
  const isKnown = rootsOfStep(step).every((root) => known(root, scope));
  if (
    isKnown &&
    step.when !== null &&
    !isTrue(await valueOf(simulation, scope, { kind: 'expression', expression: step.when }))
  )
    return 'skipped';
  const path = scope.single ? scope.path : joinPath(scope.path, segmentOf(step));
  if (step.kind === 'agent' || step.kind === 'command' || step.kind === 'tool') {
    const found = isKnown ? await lookUp(simulation, scope, { step, path }) : null;
    simulation.told.push({ path, action: found === null ? 'run' : found === 'refused' ? 'refuse' : 'reuse' });
    return found === null || found === 'refused' ? 'unknown' : found.output;
  }
  return isKnown ? playKnown(simulation, scope, { step, path }) : playAround(simulation, scope, { step, path });
}

interface Placed {
  step: Exclude<Step, AgentStep | CommandStep | ToolStep>;
  path: string;
}

/** A step all of whose operands are known. */
async function playKnown(simulation: Simulation, scope: SimulatedScope, { step, path }: Placed): Promise<Played> {
  if (step.kind === 'set')
    return simulation.store.put((await valueOf(simulation, scope, { kind: 'map', entries: step.values })) ?? null);
  const played = await playAround(simulation, scope, { step, path });
  return step.kind === 'approval' && step.content !== null && step.options === undefined
    ? simulation.store.put((await valueOf(simulation, scope, step.content)) ?? '')
    : played;
}

/** A step that asks, waits, or runs others. */
function playAround(simulation: Simulation, scope: SimulatedScope, { step, path }: Placed): Promise<Played> {
  switch (step.kind) {
    case 'workflow':
      return playNested(simulation, scope, { step, path });
    case 'foreach':
      return playItems(simulation, scope, { step, path });
    case 'loop':
      return playRounds(simulation, scope, { step, path });
    case 'approval':
    case 'ask':
      simulation.told.push({ path, action: 'ask' });
      return Promise.resolve('unknown');
    case 'plan':
      // Its text is approved anew, and what it asks is known only then.
      simulation.told.push({ path, action: 'ask' }, { path, action: 'run' });
      return Promise.resolve('unknown');
    case 'compile':
    case 'flash':
    case 'serial':
      simulation.told.push({ path, action: 'run' });
      return Promise.resolve('unknown');
    default:
      return Promise.resolve('unknown');
  }
}

function known(root: Root, scope: SimulatedScope): boolean {
  if (root.startsWith(OUTER)) return scope.outer === null || known(root.slice(OUTER.length), scope.outer);
  if (root.startsWith('input:')) return !scope.unknownInputs.has(root.slice('input:'.length));
  const [, kind = '', name = ''] = /^(step|group|last):([^.]+)/.exec(root) ?? [];
  if (kind === 'group') return (scope.schedule.body.groups[name] ?? []).every((member) => !scope.unknown.has(member));
  return kind === '' || !scope.unknown.has(Number(name));
}

async function valueOf({ store }: Simulation, scope: SimulatedScope, template: Template): Promise<Json | undefined> {
  const environment = await createScope(store, bind(rootsOf([template]), scope), [template]);
  return template.kind === 'expression' ? evaluate(template.expression, environment) : render(template, environment);
}

type Acting = AgentStep | CommandStep | ToolStep;

async function lookUp(
  simulation: Simulation,
  scope: SimulatedScope,
  { step, path }: { step: Acting; path: string },
): Promise<StepOutput | 'refused' | null> {
  const {
    plan: { agents },
    settings,
  } = simulation;
  if (settings.reuse === undefined) return null;
  const byProgram = step.kind === 'agent' && programFor(simulation, scope, step) !== null;
  const { done, ...reuse } = reuseFor(settings.reuse, { step, path, agents, byProgram });
  const found = await outputFor(simulation, scope, { step, path, reuse });
  return found ?? (done === true ? 'refused' : null);
}

async function outputFor(
  simulation: Simulation,
  scope: SimulatedScope,
  { step, path, reuse }: { step: Acting; path: string; reuse: Reuse },
): Promise<StepOutput | null> {
  const { store, plan, settings } = simulation;
  const environment = bind(rootsOf(templatesOf(step)), scope);
  const call = {
    root: { run: '', first: '', plan: plan.hash },
    nested: scope.nested,
    step: step.index,
    path,
    try: 1,
    environment,
    reuse,
  };
  if (step.kind === 'command') {
    const request = await createCommandRequest(
      store,
      { ...call, workspace: locate(simulation.store, folderOf(step, settings)) },
      step,
    );
    return reusedOutput(store, call, contentKey('command', await commandContent(step, request)));
  }
  if (step.kind === 'tool')
    return (
      await reusedCall(
        store,
        call,
        step,
        await createToolRequest(store, { ...call, workspace: locate(simulation.store, settings.workspace) }, step),
      )
    ).known;
  const key = await agentKey(simulation, scope, step, environment);
  return key === null ? null : reusedOutput(store, call, key);
}

function programFor({ plan, settings }: Simulation, scope: SimulatedScope, step: AgentStep): ProgramChoice | null {
  return programOf(
    settings.programs,
    step,
    plan.agents[step.agent],
    programAddress(scope.nested, [...scope.blockPath, step.index]),
  );
}

/** The content of an agent step as whoever plays it would be asked. */
async function agentKey(
  simulation: Simulation,
  scope: SimulatedScope,
  step: AgentStep,
  environment: Environment,
): Promise<Hash | null> {
  const { store, plan, settings } = simulation;
  const agent = plan.agents[step.agent];
  if (agent === undefined) return null;
  const request = (model: string): Promise<ModelRequest> =>
    createRequest(store, { body: scope.body, step, agent, environment, model, context: settings.context });
  const played = programFor(simulation, scope, step);
  if (played !== null)
    return contentKey(
      'agent',
      programContent(step, played.program, await request(played.model ?? ''), accessOf(agent)),
    );
  const model = settings.models[modelKeyOf(step, agent)];
  if (model === undefined) return null;
  // As `openConversation` asks it; an agent without tools is asked without them.
  const tools = (agent.uses ?? []).length === 0 ? {} : { tools: await offeredTools(store, agent) };
  return contentKey('agent', modelContent(step, model.provider, { ...(await request(model.model)), ...tools }));
}

async function playNested(
  simulation: Simulation,
  scope: SimulatedScope,
  { step, path }: { step: Step & { kind: 'workflow' }; path: string },
): Promise<Played> {
  const body = simulation.plan.nested[step.plan];
  if (body === undefined) return 'unknown';
  const inner = simulatedScope(simulation, { body, nested: step.plan, path, input: {} });
  const inputs: Record<string, Value> = {};
  for (const [name, template] of Object.entries(step.inputs)) {
    if (rootsOf([template]).every((root) => known(root, scope)))
      inputs[name] = await simulation.store.put((await valueOf(simulation, scope, template)) ?? '');
  }
  inner.input = inputs;
  // What is not known here is not known there: a step that refers to such an input runs.
  inner.unknownInputs = new Set(Object.keys(step.inputs).filter((name) => !Object.hasOwn(inputs, name)));
  await playScope(simulation, inner);
  return outputOf(simulation, inner);
}

/** Everything below runs; what is asked there, nobody knows. */
function playBlind(simulation: Simulation, path: string): 'unknown' {
  simulation.told.push({ path, action: 'run' });
  return 'unknown';
}

async function outputOf(simulation: Simulation, scope: SimulatedScope): Promise<Played> {
  const { output } = scope.schedule.body;
  const last = lastStepOf(scope.schedule.body)?.index ?? -1;
  if (output === null) return scope.unknown.has(last) ? 'unknown' : (scope.schedule.steps[last]?.output ?? null);
  return rootsOf([output]).every((root) => known(root, scope))
    ? simulation.store.put((await valueOf(simulation, scope, output)) ?? '')
    : 'unknown';
}

function innerStage(
  scope: SimulatedScope,
  step: BlockStep,
  { path, index }: { path: string; index: number },
): SimulatedScope {
  return {
    ...scope,
    outer: scope,
    path: joinPath(path, String(index)),
    blockPath: [...scope.blockPath, step.index],
    single: step.body.single,
    index,
    item: null,
    last: null,
    unknown: new Set(),
    schedule: createSchedule(step.body),
  };
}

async function playItems(
  simulation: Simulation,
  scope: SimulatedScope,
  { step, path }: { step: Step & { kind: 'foreach' }; path: string },
): Promise<Played> {
  const items = rootsOf([step.items]).every((root) => known(root, scope))
    ? await valueOf(simulation, scope, step.items)
    : undefined;
  if (!Array.isArray(items)) return playBlind(simulation, path);
  const outputs: Played[] = [];
  for (const [index, item] of items.entries()) {
    const inner = { ...innerStage(scope, step, { path, index }), item: inline(item) };
    await playScope(simulation, inner);
    outputs.push(await outputOf(simulation, inner));
  }
  return outputs.includes('unknown')
    ? 'unknown'
    : simulation.store.put(await Promise.all(outputs.map((output) => jsonOf(simulation, output))));
}

async function jsonOf({ store }: Simulation, output: Played): Promise<Json> {
  if (output === null || typeof output === 'string') return null;
  return loadValue(output, store);
}

async function playRounds(
  simulation: Simulation,
  scope: SimulatedScope,
  { step, path }: { step: Step & { kind: 'loop' }; path: string },
): Promise<Played> {
  let last: SimulatedScope | null = null;
  for (let index = 0; index < step.max; index++) {
    const round: SimulatedScope = { ...innerStage(scope, step, { path, index }), last: last?.schedule ?? null };
    await playScope(simulation, round);
    if (round.unknown.size > 0) {
      for (let later = index + 1; later < Math.min(step.max, simulation.roundsBefore(path)); later++)
        playBlind(simulation, joinPath(path, String(later)));
      return 'unknown';
    }
    if (isTrue(await valueOf(simulation, round, { kind: 'expression', expression: step.until })))
      return outputOf(simulation, round);
    last = round;
  }
  return last === null ? 'unknown' : outputOf(simulation, last);
}
