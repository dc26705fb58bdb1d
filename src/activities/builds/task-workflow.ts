import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { Made } from '../../plan/agents/made-definition.js';
import type { Budgets } from '../../plan/budget/budgets.js';
import { teamFaults } from '../../plan/builds/task-rules.js';
import type { Commands, Task } from '../../plan/builds/task.js';
import { isTexts, stepIdsOf, tasksIn, TASKS_SHAPE } from '../../plan/builds/task.js';
import { boardStep, PAGE_STEP, targetDevices } from '../../plan/builds/deployment.js';
import { predecessorsOf } from '../../plan/builds/context-level.js';
import type { Member, Role } from '../../plan/builds/build-spec.js';
import type { HumanGate } from '../../plan/builds/human-gates.js';
import { gatesIn } from '../../plan/builds/human-gates.js';
import { literalText } from '../../plan/values/expression.js';
import { buildsThings, mapIn, teamOf, textIn, workTreeOf } from '../../plan/builds/build-spec.js';
import type { Chain, Earlier, Gathering } from './steps/context-steps.js';
import { contextAfter, contextSteps } from './steps/context-steps.js';
import { beforePart } from './parts/before.js';
import { manifestPart } from './parts/manifest.js';
import { rulesPart } from './parts/rules.js';
import { taskPrompt } from './prompts.js';
import type { Evidence } from './steps/evidence-steps.js';
import { evidenceSteps, testedAgain } from './steps/evidence-steps.js';
import { reviewStep } from './steps/review-step.js';
import type { Mending } from './steps/mend-steps.js';
import { BEGUN } from './steps/mend-steps.js';
import type { TaskStep } from './steps/task-step.js';
import { MOST_ROUNDS, workStep } from './steps/task-step.js';
import { DECIDED, troubleStep, WISH } from './steps/trouble.js';
import { deploySteps } from './deploy-steps.js';
import { agentName } from '../../plan/builds/agent-name.js';
import { agentText } from './task-agent.js';

/**
 * A workflow and its agents, made of the tasks of a build: one agent's step for each task, which is told what those
 * before it did; `earlier` is what a build came to that they work on after its end.
 */
export function madeOfTasks(
  source: Json,
  spec: Json,
  budgets: Budgets,
  earlier?: Earlier,
): Made | { problems: string } {
  const tasks = tasksIn(source);
  if (tasks === null) return { problems: `Expected ${TASKS_SHAPE}.` };
  const team = teamOf(spec);
  const faults = teamFaults(source, team);
  if (faults.length > 0) return { problems: faults.join('\n') };
  const stepIds = stepIdsOf(tasks);
  const ids = new Map(tasks.map(({ id }, index) => [id, stepIds[index] ?? id]));
  const agents = team.map((member, index) => ({
    file: `generated/${agentName(member.name, index)}.yml`,
    text: agentText(member, index, { spec, team }),
  }));
  const { steps, deploy } = stepsOf({ tasks, ids, team, spec, earlier, commands: commandsIn(source, spec) });
  const workflow = {
    name: 'tasks',
    description: 'The tasks of a build.',
    execution: 'dag',
    workspace: workTreeOf(spec),
    budgets: Object.fromEntries(Object.entries(budgets).filter(([, limit]) => limit !== null)),
    steps,
    output: {
      summaries: Object.fromEntries(tasks.map(({ id }) => [id, `\${steps.${ids.get(id) ?? ''}.output}`])),
      tests: '${steps.tests.output}',
      deploy,
    },
  };
  return {
    file: 'generated/tasks.yml',
    text: JSON.stringify(workflow),
    agents: Object.fromEntries(agents.map(({ file, text }) => [file, text])),
    own: true,
  };
}

/** What the steps of all tasks are made from. */
interface Build {
  tasks: Task[];
  /** Ids of steps by those of tasks. */
  ids: ReadonlyMap<string, string>;
  team: Member[];
  spec: Json;
  earlier: Earlier | undefined;
  /** By which the project is checked; no tests where the spec has none run. */
  commands: Commands;
}

/** All steps of a build, and what its output says of its deployment. */
function stepsOf(build: Build): { steps: object[]; deploy: Json } {
  const { tasks, ids, spec, commands } = build;
  const gates = gatesIn(spec, tasks);
  const context = (found: string[]): Gathering => contextAfter(chainOf(build), found);
  const evidence: Evidence = {
    ...commands,
    needs: [...ids.values()],
    testers: tasks.flatMap((task) =>
      placed(task, build.team).member.role === 'tester' ? (ids.get(task.id) ?? []) : [],
    ),
    fixed: ['tests', 'start', PAGE_STEP, ...targetDevices(spec).map((_, index) => boardStep(index, 'compile'))],
    mend: mending(tasks, build, 'test_failure'),
    rules: rulesPart(spec, 'on_test_fail'),
    context,
  };
  const looked = evidenceSteps(evidence);
  const deployment = deploySteps(spec, {
    needs: looked.map(({ id }) => id),
    mend: evidence.mend,
    context: context(looked.map(({ id }) => id)),
    again: testedAgain(evidence),
    trouble: { step: troubleStep, decided: DECIDED, wish: WISH, rounds: MOST_ROUNDS },
  });
  const steps = [
    BEGUN,
    ...gates.map(({ after, message }, index) => ({
      id: gateId(index),
      needs: after.map((id) => ids.get(id)),
      approval: literalText(message),
      fallback: 'abort',
      on_error: 'stop',
    })),
    ...tasks.flatMap((task) => stepsFor(task, build, gates)),
    ...looked,
    ...deployment.steps,
  ];
  return { steps, deploy: deployment.output };
}

function gateId(index: number): string {
  return `go_on_${index + 1}`;
}

/** How often work goes back: what a feedback loop of the spec says, else `max_rounds`. */
function roundsOf(spec: Json, trigger: 'test_failure' | 'review_rejection'): number {
  const workflow = mapIn(spec, 'workflow');
  const loops = Array.isArray(workflow['feedback_loops']) ? workflow['feedback_loops'] : [];
  const loop = loops.find((one) => textIn(one, 'trigger') === trigger);
  const most = isObject(loop ?? null) ? (loop as JsonObject)['max_iterations'] : undefined; // isObject said so
  const rounds = most ?? workflow['max_rounds'];
  return typeof rounds === 'number' ? rounds : 0;
}

/** What a task becomes: its own step, and those around it that gather and keep its context. */
function stepsFor(task: Task, build: Build, gates: HumanGate[]): object[] {
  const { tasks, ids, team, spec, earlier, commands } = build;
  const { member, agent } = placed(task, team);
  const { gather, keep } = contextSteps(task, chainOf(build));
  const before = beforePart(gather?.id ?? null);
  const step: TaskStep = {
    task,
    id: ids.get(task.id) ?? '',
    agent,
    name: member.name,
    prompt: taskPrompt({
      task,
      commands,
      member,
      spec,
      before,
      manifest: manifestPart(gather?.id ?? null),
      tests: member.role === 'tester' || earlier !== undefined,
    }),
    before,
    needs: [
      ...(gather === null ? [] : [gather.id]),
      ...(task.dependencies.length === 0 ? [BEGUN.id] : []),
      ...task.dependencies.map((needed) => ids.get(needed) ?? ''),
      ...gates.flatMap(({ after }, index) => (after.includes(task.id) ? [] : [gateId(index)])),
    ],
  };
  const own =
    member.role === 'reviewer'
      ? reviewStep(step, mending(predecessorsOf(task, tasks).reverse(), build, 'review_rejection'))
      : workStep(step);
  return [...(gather === null ? [] : [gather]), own, keep];
}

function chainOf({ tasks, ids, team, earlier }: Build): Chain {
  return { tasks, ids, roleOf: (task: Task): Role => placed(task, team).member.role, earlier };
}

/** Who carries out a task: the agent of the spec, and its name in the made workflow. */
function placed({ agent_name }: Task, team: Member[]): { member: Member; agent: string } {
  const index = team.findIndex(({ name }) => name === agent_name);
  const member = team[index];
  if (member === undefined) throw new Error(`\`${agent_name}\` is no agent of the spec.`);
  return { member, agent: agentName(member.name, index) };
}

/** Who mends: the agent of the last of these tasks that builds something; null where none does. */
function mending(tasks: Task[], { team, spec }: Build, trigger: Parameters<typeof roundsOf>[1]): Mending | null {
  const last = tasks.map((task) => placed(task, team)).findLast(({ member }) => buildsThings(member.role));
  return last === undefined ? null : { agent: last.agent, name: last.member.name, rounds: roundsOf(spec, trigger) };
}

/** The commands of an answer; those that it leaves out are none, and no tests are run where the spec says so. */
function commandsIn(source: Json, spec: Json): Commands {
  const words = (key: string): string[] | null => {
    const value = isObject(source) ? source[key] : undefined;
    return isTexts(value) && value.length > 0 ? value : null;
  };
  const page = textIn(source, 'page');
  return {
    test_command: mapIn(spec, 'workflow')['testing_enabled'] === false ? null : words('test_command'),
    start_command: words('start_command'),
    page: page === '' ? null : page,
  };
}
