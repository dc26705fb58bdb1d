import type { Root, Template } from '../../plan/values/expression.js';
import { BUILD_MODEL } from '../../plan/agents/model-names.js';
import type { Plan } from '../../plan/plan.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import type { AuthoredBuild } from '../formats/build/build.js';
import { deviceNameNode } from '../formats/build/target-device.js';
import type { TargetDevice } from '../../plan/builds/deployment.js';
import { workTreeOf } from '../../plan/builds/build-spec.js';
import { targetDevices } from '../../plan/builds/deployment.js';
import type { Device } from '../../plan/devices/device.js';
import type { Config } from '../project/config.js';
import type { NoDevice } from '../project/devices.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import { dataBlock } from '../../plan/text/data-block.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { Agent, AgentStep, ApprovalStep, PlanStep, StepBase } from '../../plan/step.js';
import { tasksSchema } from '../agents/task-planning.js';
import { completeSpec, PLANNER_PROMPT, PLANNER_VERSION, taskRulesOf } from './build-planner.js';
import type { Shared } from '../workflow/compile-workflow.js';
import { isSmallEnough, seal } from '../workflow/compile-workflow.js';
import type { Texts } from '../hash.js';
import { hashOf, keepText } from '../hash.js';
import type { BuildDefinition } from '../load.js';
import { ofParts } from '../expressions/template.js';

const MINUTE_MS = 60_000;
/** What a build may use where the spec sets nothing. */
const TOKENS = 500_000;
const POOL = 3;
/** What of a plan says how the result is tested and started. */
const COMMANDS = ['test_command', 'start_command', 'page'];

/**
 * The Plan of a build: an agent plans its tasks, a person approves exactly those, and the agents of the spec carry them
 * out.
 */
export function compileBuild(
  definition: BuildDefinition,
  {
    report,
    texts,
    lookUpDevice,
    builds,
  }: Pick<Shared, 'report' | 'texts' | 'lookUpDevice'> & { builds: Config['builds'] },
): Plan | null {
  const { authored, name, node } = definition;
  const spec = completeSpec(authored, builds?.max_rounds);
  const planner = plannerOf(texts);
  const hash = hashOf(planner);
  const approved = authored.workflow?.approve_plan !== false;
  // What is carried out: what was approved, else what was planned.
  const source = approved ? { step: 1, name: 'steps.approve.output' } : { step: 0, name: 'steps.plan.output' };
  const of = (key: string): Template => reference(`step:${source.step}.output`, `${source.name}.${key}`, key);
  const build: PlanStep = {
    ...baseOf(source.step + 1, 'build'),
    kind: 'plan',
    needs: [{ step: source.step, skip: true }],
    effect: 'workspace',
    source: reference(`step:${source.step}.output`, source.name),
    inputs: {},
    kinds: ['agent', 'tool', 'approval', 'ask', 'set', 'loop', 'foreach', 'compile', 'flash', 'serial'],
    budgets: { ...NO_BUDGETS, max_parallel: POOL },
    message: null,
    fallback: 'abort',
    build: keepText(
      JSON.stringify({ ...spec, board_faults: boardFaults(spec, node, { report, lookUpDevice }) }),
      texts,
    ),
  };
  const built = (key: string): Template => reference(`step:${build.index}.output`, `steps.build.output.${key}`, key);
  const goal = authored.nugget?.goal ?? authored.goal ?? '';
  const sealed = seal({
    name,
    description: keepText(goal, texts),
    inputs: {},
    workspace: workTreeOf(spec),
    steps: [planStep(authored, { spec, agent: hash }, texts), ...(approved ? [approveStep()] : []), build],
    groups: {},
    output: {
      kind: 'map',
      entries: {
        tasks: of('tasks'),
        commands: { kind: 'map', entries: Object.fromEntries(COMMANDS.map((key) => [key, of(key)])) },
        summaries: built('summaries'),
        tests: built('tests'),
        deploy: built('deploy'),
      },
    },
    budgets: { ...NO_BUDGETS, max_parallel: POOL, max_tokens: authored.max_tokens ?? TOKENS },
    no_default: ['max_runtime_mins'],
    ...(authored.narrate === true ? { narrate: true as const } : {}),
    agents: { [hash]: planner },
    nested: {},
  });
  return isSmallEnough(sealed, node, report) ? sealed : null;
}

function planStep(
  authored: AuthoredBuild,
  { spec, agent }: { spec: JsonObject; agent: Hash },
  texts: Texts,
): AgentStep {
  const rules = taskRulesOf(authored);
  return {
    ...baseOf(0, 'plan'),
    kind: 'agent',
    retry: { attempts: 3, backoff_ms: 2_000 },
    timeout_ms: 5 * MINUTE_MS,
    agent,
    prompt: ofParts([`Plan the tasks of this build.\n\n${dataBlock('spec', JSON.stringify(spec, null, 2))}`], texts),
    inputs: {},
    model: null,
    schema: tasksSchema([...new Set(rules.team.map(({ name }) => name))], { commands: true }),
    tasks: rules,
    rehearsal: null,
  };
}

/**
 * Why boards of a spec cannot be flashed, by their names: told before anything is asked, and again by the build, which
 * is partial then.
 */
function boardFaults(
  spec: JsonObject,
  node: Node,
  { report, lookUpDevice }: Pick<Shared, 'report' | 'lookUpDevice'>,
): Record<string, string> {
  const faults = targetDevices(spec).flatMap((target) => {
    const found = lookUpDevice(target.name);
    const fault = 'device' in found ? sandboxFault(target, found.device) : found;
    return fault === null ? [] : [{ name: target.name, fault }];
  });
  for (const { name, fault } of faults) report({ ...fault, severity: 'warning', at: deviceNode(node, name) });
  return Object.fromEntries(faults.map(({ name, fault }) => [name, fault.message]));
}

/** Agents write the sources: a compiler that reads them sees nothing else of the machine. */
function sandboxFault({ name, sources, compile }: TargetDevice, { kind }: Device): NoDevice | null {
  if (compile !== null || sources.length === 0 || kind.compile === null || kind.compile.sandbox) return null;
  return {
    code: 'invalid-device',
    message: `The kind \`${kind.name}\` of \`${name}\` compiles outside the sandbox, and agents write its sources.`,
    suggestion: 'name a command under `compile` of the spec',
  };
}

/** Where a spec names a device; a target names one, too. */
function deviceNode(node: Node, name: string): Node {
  const devices = memberOf(node, 'devices');
  const target = memberOf(memberOf(node, 'deployment') ?? node, 'target');
  const named = devices?.items?.find((item) => deviceNameNode(item)?.value === name);
  return named ?? (target?.value === name ? target : null) ?? devices ?? node;
}

function approveStep(): ApprovalStep {
  return {
    ...baseOf(1, 'approve'),
    kind: 'approval',
    needs: [{ step: 0, skip: true }],
    effect: 'none',
    message: { kind: 'literal', value: 'Are these the tasks to build it with?' },
    content: reference('step:0.output', 'steps.plan.output'),
    fallback: 'abort',
  };
}

function reference(root: Root, source: string, ...path: string[]): Template {
  return { kind: 'expression', expression: { kind: 'reference', root, path, source } };
}

function plannerOf(texts: Texts): Agent {
  return {
    name: 'planner',
    description: `Plans the tasks of a build (prompt version ${PLANNER_VERSION}).`,
    prompt: ofParts([PLANNER_PROMPT], texts),
    model: BUILD_MODEL,
    program: null,
    tools: [],
    inputs: {},
    max_output_kb: 100,
    max_turns: 1,
  };
}

function baseOf(index: number, id: string): StepBase {
  return {
    index,
    id,
    needs: [],
    parallel_group: null,
    when: null,
    on_error: 'stop',
    retry: { attempts: 1, backoff_ms: 2_000 },
    timeout_ms: 0,
    deadline_ms: null,
    effect: 'none',
    always: false,
  };
}
