import { CancelledFailure } from '@temporalio/common';
import type { ActivityOptions } from '@temporalio/workflow';
import { isCancellation } from '@temporalio/workflow';
import { NO_SPEND } from '../../plan/budget/spend.js';
import { treeActivityId } from '../../plan/names.js';
import { runsAnew } from '../../plan/calls/reuse.js';
import { rootsOfStep } from '../../plan/references/step-references.js';
import { bind } from '../../plan/schedule/bindings.js';
import type { Json } from '../../plan/values/json.js';
import { segmentOf } from '../../plan/plan.js';
import type { BeginCall, CommitCall } from '../../activities/contract.js';
import type { RunInput } from '../../plan/run-input.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { Step } from '../../plan/step.js';
import { acting, RETRY, shortName } from '../activities.js';
import { failureFrom } from '../failures.js';
import type { RunContext, Scope } from '../state/context.js';
import { addressOf, pathOf } from '../state/context.js';
import { committerOf } from '../state/own-workspace.js';
import { atHome, takeHome } from './at-home.js';
import { failed } from './tries.js';

/** Long: a project may have gigabytes of `node_modules`, and others may commit before. */
const OPTIONS: ActivityOptions = { startToCloseTimeout: '15m', retry: RETRY };

/** Makes the work tree of a root run that asks for one, before its first step. */
export async function makeRunTree(
  context: RunContext,
  { root, carried, settings: { worktree } }: RunInput,
): Promise<void> {
  if (worktree === undefined || root !== null || carried !== null) return;
  const { run } = context;
  if (worktree.travels !== undefined) {
    await takeHome(context);
    return;
  }
  const { project, carry, from } = worktree;
  const options = { ...OPTIONS, activityId: treeActivityId('make', '', 1), summary: 'work tree' };
  await acting.makeTrees.executeWithOptions(options, [
    { run, project, carry, ...(from === undefined ? {} : { from }) },
  ]);
}

/** Makes a try of a step; of one that commits, in a tree of its own, and commits what it has changed. */
export async function tryAndCommit(
  scope: Scope,
  step: Step,
  tried: number,
  run: () => Promise<StepEnd>,
): Promise<StepEnd> {
  const path = pathOf(scope, step);
  const { commit: subject } = step;
  if (subject === undefined) return run();
  const { root, settings } = scope.context;
  if (settings.worktree === undefined)
    return failed({
      type: 'definition-invalid',
      message: '`commit` needs a run in a work tree: write `workspace: worktree` in the definition that was started.',
    });
  const committer = committerOf(scope, step);
  if (committer?.path !== path) return run();
  const { tree } = committer;
  const summary = `${segmentOf(step)}: ${subject}`;
  const begun = beginCall(scope, step, { path, tree, tried });
  const { key, taken } = await atHome(scope.context, optionsFor('begin', path, tried, summary), (options) =>
    acting.beginWork.executeWithOptions(options, [begun]),
  );
  if (taken !== null)
    return {
      status: 'success',
      output: taken.output,
      reused: true,
      ...(taken.commit && { note: named(taken.commit) }),
    };
  const end = await run();
  if (end.status !== 'success') return end;
  try {
    const work = { run: root.run, tree, path, try: tried, key, subject, output: end.output, ...limitsOf(scope, step) };
    const { commit } = await atHome(scope.context, optionsFor('commit', path, tried, summary), (options) =>
      acting.commitWork.executeWithOptions(options, [work]),
    );
    return commit === null ? end : { ...end, note: [end.note, named(commit)].filter(Boolean).join(', ') };
  } catch (error) {
    const { spend = NO_SPEND } = end;
    if (isCancellation(error)) throw new CancelledFailure('cancelled', [spend]);
    return { ...failed(failureFrom(error)), spend };
  }
}

function named(commit: string): string {
  return `commit ${commit.slice(0, 7)}`;
}

function beginCall(
  scope: Scope,
  step: Step,
  { path, tree, tried }: { path: string; tree: string; tried: number },
): BeginCall {
  const { root, nested, settings } = scope.context;
  const { models, programs = null, reuse } = settings;
  const takes = reuse === undefined || runsAnew(path, reuse.fresh) ? [] : [reuse, ...(reuse.earlier ?? [])];
  return {
    root,
    nested,
    step: addressOf(scope, step),
    path,
    try: tried,
    environment: bind(rootsOfStep(step), scope),
    tree,
    models: { models, programs } as unknown as Json, // JSON all
    after: pathsBefore(scope, step),
    ...(takes.length === 0 ? {} : { takes: takes.map((source) => source.run) }),
  };
}

/** Paths of the steps that a step follows, in its own scope and those around it. */
function pathsBefore(scope: Scope, step: Step): string[] {
  const { schedule, outer, blockPath, path, index } = scope;
  const { steps } = schedule.body;
  const before = new Set<number>();
  const add = ({ needs }: Step): void => {
    for (const { step: at } of needs) {
      const needed = steps[at];
      if (needed === undefined || before.has(at)) continue;
      before.add(at);
      add(needed);
    }
  };
  add(step);
  const around = outer?.schedule.body.steps[blockPath.at(-1) ?? 0];
  return [
    ...[...before].sort((one, other) => one - other).flatMap((at) => (steps[at] ? [pathOf(scope, steps[at])] : [])),
    ...(around?.kind === 'loop' ? roundsBefore(path, index ?? 0) : []),
    ...(outer === null || around === undefined ? [] : pathsBefore(outer, around)),
  ];
}

/** The rounds of a loop before the one at a path. */
function roundsBefore(path: string, index: number): string[] {
  const above = path.slice(0, path.lastIndexOf('/'));
  return Array.from({ length: index }, (_, round) => `${above}/${String(round)}`);
}

/** What may have been written by the agent whose work is committed, and whether that is taken as it is. */
function limitsOf({ agents, schedule }: Scope, step: Step): Pick<CommitCall, 'permissions' | 'as_it_is'> {
  const { commit_of: of } = step;
  const worker = of === undefined ? step : schedule.body.steps.find(({ id }) => id === of);
  const permissions = worker?.kind === 'agent' ? agents[worker.agent]?.permissions : undefined;
  return { ...(permissions === undefined ? {} : { permissions }), ...(of === undefined ? {} : { as_it_is: true }) };
}

function optionsFor(act: 'begin' | 'commit', path: string, tried: number, summary: string): ActivityOptions {
  return { ...OPTIONS, activityId: shortName(treeActivityId(act, path, tried)), summary };
}
