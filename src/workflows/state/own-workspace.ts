import { joinPath, segmentOf } from '../../plan/plan.js';
import type { Step } from '../../plan/step.js';
import { treeName, treePlace } from '../../plan/worktree.js';
import type { Scope } from './context.js';
import { pathOf } from './context.js';

/**
 * The step that commits what this one does, itself or one around it, the outermost of several: its path and its tree.
 * Null where none does, or the run works in no work tree of its own.
 */
export function committerOf(scope: Scope, step: Step): { path: string; tree: string } | null {
  const { worktree } = scope.context.settings;
  if (worktree === undefined || worktree.within === true) return null;
  const own = step.commit === undefined ? null : { path: pathOf(scope, step), tree: treeOf(scope, step) };
  if (scope.outer === null) return own;
  const around = scope.outer.schedule.body.steps[scope.blockPath.at(-1) ?? 0];
  return (around === undefined ? null : committerOf(scope.outer, around)) ?? own;
}

/**
 * Names the work tree of a step that commits. The rounds of a loop have one together: what one has left there, the next
 * one goes on with.
 */
function treeOf(scope: Scope, step: Step): string {
  const of = step.commit_of;
  return treeName(treePathOf(scope, of === undefined ? step : { ...step, id: of }));
}

function treePathOf(scope: Scope, step: Step): string {
  const { outer, single, blockPath, index } = scope;
  const around = outer?.schedule.body.steps[blockPath.at(-1) ?? 0];
  if (outer === null || around === undefined) return pathOf(scope, step);
  const above = treePathOf(outer, around);
  const path = around.kind === 'loop' ? above : joinPath(above, String(index));
  return single ? path : joinPath(path, segmentOf(step));
}

/** Where a step works: in the run's workspace, or in the tree of who commits. */
export function workspaceOf(scope: Scope, step: Step): string {
  const { workspace } = scope.context.settings;
  const committer = committerOf(scope, step);
  return committer === null ? workspace : treePlace(workspace, committer.tree);
}
