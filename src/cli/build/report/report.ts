import type { TargetDevice } from '../../../plan/builds/deployment.js';
import { boardStep, targetDevices } from '../../../plan/builds/deployment.js';
import { isWithin } from '../../../plan/calls/reuse.js';
import type { Task } from '../../../plan/builds/task.js';
import { stepIdsOf, tasksIn } from '../../../plan/builds/task.js';
import { objectsIn, mapIn, textIn } from '../../../plan/builds/build-spec.js';
import type { RunRecord } from '../../../plan/result.js';
import type { Json, JsonObject } from '../../../plan/values/json.js';
import type { BranchCommit } from '../../../store/worktrees/branch.js';
import type { StepView } from '../../observe/view/view.js';

/** What came of a build: its requirements, the tasks that are for them, what these committed, and its tests. */
export interface BuildReport {
  run: string;
  status: RunRecord['status'];
  error: string | null;
  /** No model was asked: scripts stood in for all agents. */
  rehearsal: boolean;
  goal: string;
  branch: string | null;
  requirements: RequirementReport[];
  tasks: TaskReport[];
  /** What no task committed: what was mended after the tests, or by a compiler. Null where the work tree is gone. */
  others: CommitReport[] | null;
  tests: TestsReport;
  /** In the order of the spec. */
  boards: BoardReport[];
}

export interface BoardReport {
  name: string;
  flashed: boolean;
  /** Whether it said on its serial line what the spec waits for; null where it waits for nothing. */
  heard: boolean | null;
  /** What failed first of compiling, flashing and listening. */
  error: string | null;
}

export interface RequirementReport {
  id: string;
  type: string;
  description: string;
  /** Ids of tasks; empty where the plan names none. */
  tasks: string[];
  /** Whether all those tasks ended well; null where there are none. */
  done: boolean | null;
  /** What the spec says must follow, `when … then …`. */
  behaviour: string[];
}

export interface TaskReport {
  id: string;
  name: string;
  agent: string;
  /** `pending` where it did not begin, `partial` where somebody took it as it is, or did without it. */
  status: string;
  error: string | null;
  /** Null where the work tree is gone. */
  commits: CommitReport[] | null;
}

export interface CommitReport {
  commit: string;
  subject: string;
}

export interface TestsReport {
  command: string[] | null;
  /** `passed`, `failed`, or that it was not tested. */
  result: 'passed' | 'failed' | 'not tested';
  passed: number | null;
  failed: number | null;
  reason: string | null;
}

/** What a report is made of. */
export interface ReportSource {
  record: Pick<RunRecord, 'run' | 'status' | 'error' | 'rehearsal'>;
  spec: JsonObject;
  /** `{tasks, commands, tests}`. */
  output: Json;
  /** Of the step `build`; null where it did not begin. */
  steps: StepView[] | null;
  /** Null where the work tree is gone. */
  branch: { name: string; commits: BranchCommit[] } | null;
}

/** Puts a report together. Nothing in it is a model's word but the names and the subjects. */
export function reportOf({ record, spec, output, steps, branch }: ReportSource): BuildReport {
  const tasks = tasksIn(output) ?? [];
  const stepIds = stepIdsOf(tasks);
  const reports = tasks.map((task, index) =>
    taskReport(task, stepIds[index] ?? task.id, steps, branch?.commits ?? null),
  );
  const named = new Set(reports.flatMap(({ commits }) => commits ?? []).map(({ commit }) => commit));
  const { run, status, error, rehearsal } = record;
  return {
    run,
    status,
    error,
    rehearsal,
    goal: textIn(mapIn(spec, 'nugget'), 'goal') || textIn(spec, 'goal'),
    branch: branch?.name ?? null,
    requirements: objectsIn(spec, 'requirements').map((requirement) =>
      requirementReport(requirement, spec, tasks, reports),
    ),
    tasks: reports,
    others:
      branch?.commits.filter(({ commit }) => !named.has(commit)).map(({ commit, subject }) => ({ commit, subject })) ??
      null,
    tests: testsReport(mapIn(output, 'tests'), mapIn(output, 'commands')['test_command']),
    boards: targetDevices(spec).map((device, index) => boardReport(device, index, steps ?? [])),
  };
}

function boardReport({ name, expect }: TargetDevice, index: number, steps: StepView[]): BoardReport {
  const [compile, flash, listen] = (['compile', 'flash', 'listen'] as const).map((what) =>
    steps.find(({ step }) => step.id === boardStep(index, what)),
  );
  const errors = [compile, flash, listen].map((view) => view?.result?.error ?? view?.result?.partial ?? null);
  return {
    name,
    flashed: flash?.status === 'success',
    heard: expect === null ? null : listen?.status === 'success',
    error: errors.find((error) => error !== null) ?? null,
  };
}

function taskReport(task: Task, id: string, steps: StepView[] | null, commits: BranchCommit[] | null): TaskReport {
  const view = steps?.find(({ step }) => step.id === id);
  const { error = null, partial = null } = view?.result ?? {};
  const status = view?.status ?? 'pending';
  return {
    id: task.id,
    name: task.name,
    agent: task.agent_name,
    status: status === 'success' && partial !== null ? 'partial' : status,
    error: error ?? partial,
    commits:
      commits === null
        ? null
        : commits
            .filter(({ step }) => view !== undefined && isWithin(decodeURI(step), [view.path]))
            .map(({ commit, subject }) => ({ commit, subject })),
  };
}

function requirementReport(
  requirement: JsonObject,
  spec: JsonObject,
  tasks: Task[],
  reports: TaskReport[],
): RequirementReport {
  const id = textIn(requirement, 'id');
  const serving = tasks.flatMap(({ requirement_ids = [] }, index) =>
    requirement_ids.includes(id) ? (reports[index] ?? []) : [],
  );
  const shown = textIn(requirement, 'test_id');
  return {
    id,
    type: textIn(requirement, 'type'),
    description: textIn(requirement, 'description'),
    tasks: serving.map((task) => task.id),
    done: serving.length === 0 ? null : serving.every(({ status }) => status === 'success'),
    behaviour: objectsIn(mapIn(spec, 'workflow'), 'behavioral_tests')
      .filter((test) => textIn(test, 'requirement_id') === id || (shown !== '' && textIn(test, 'id') === shown))
      .map((test) => `when ${textIn(test, 'when')}, then ${textIn(test, 'then')}`),
  };
}

function testsReport(tests: JsonObject, command: Json | undefined): TestsReport {
  const { ok, passed = null, failed = null, reason } = tests;
  const words = Array.isArray(command) ? command.filter((word) => typeof word === 'string') : [];
  const isTested = typeof ok === 'boolean' && tests['result'] !== 'not tested';
  return {
    command: words.length === 0 ? null : words,
    result: !isTested ? 'not tested' : ok ? 'passed' : 'failed',
    passed: typeof passed === 'number' ? passed : null,
    failed: typeof failed === 'number' ? failed : null,
    reason: typeof reason === 'string' && reason !== '' ? reason : null,
  };
}
