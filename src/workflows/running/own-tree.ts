import { CancelledFailure } from '@temporalio/common';
import type { ActivityOptions } from '@temporalio/workflow';
import { isCancellation } from '@temporalio/workflow';
import { NO_SPEND } from '../../plan/budget/spend.js';
import { treeActivityId } from '../../plan/names.js';
import { segmentOf } from '../../plan/plan.js';
import type { RunInput } from '../../plan/run-input.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { Step } from '../../plan/step.js';
import { treeName } from '../../plan/worktree.js';
import { acting, RETRY } from '../activities.js';
import { failureFrom } from '../failures.js';
import type { Scope } from '../state/context.js';
import { committerOf, pathOf } from '../state/context.js';
import { failed } from './tries.js';

/** Long: a project may have gigabytes of `node_modules`, and others may commit before. */
const OPTIONS: ActivityOptions = { startToCloseTimeout: '15m', retry: RETRY };

/** Makes the work tree of a root run that asks for one, before its first step. */
export async function makeRunTree(run: string, { root, carried, settings: { worktree } }: RunInput): Promise<void> {
  if (worktree === undefined || root !== null || carried !== null) return;
  const { project, carry } = worktree;
  const options = { ...OPTIONS, activityId: treeActivityId('make', '', 1), summary: 'work tree' };
  await acting.makeTrees.executeWithOptions(options, [{ run, project, carry }]);
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
  if (committerOf(scope, step) !== path) return run();
  const call = { run: root.run, tree: treeName(path) };
  const summary = `${segmentOf(step)}: ${subject}`;
  await acting.beginWork.executeWithOptions(optionsFor('begin', path, tried, summary), [call]);
  const end = await run();
  if (end.status !== 'success') return end;
  try {
    const work = { ...call, path, try: tried, subject, output: end.output };
    const { commit } = await acting.commitWork.executeWithOptions(optionsFor('commit', path, tried, summary), [work]);
    return commit === null
      ? end
      : { ...end, note: [end.note, `commit ${commit.slice(0, 7)}`].filter(Boolean).join(', ') };
  } catch (error) {
    const { spend = NO_SPEND } = end;
    if (isCancellation(error)) throw new CancelledFailure('cancelled', [spend]);
    return { ...failed(failureFrom(error)), spend };
  }
}

function optionsFor(act: 'begin' | 'commit', path: string, tried: number, summary: string): ActivityOptions {
  return { ...OPTIONS, activityId: treeActivityId(act, path, tried), summary };
}
