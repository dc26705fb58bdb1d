import type { Plan } from '../plan.js';
import { everyStepOf } from '../plan.js';
import type { ReuseSettings, RunSettings } from '../run-input.js';
import type { Reuse } from './short-call.js';
import type { CommandStep, Step } from '../step.js';
import type { CallableTool } from '../tools/tool.js';

/** Tells whether a call of a tool may look at the workspace. */
function looksAround(tool: CallableTool, effect: Step['effect']): boolean {
  if (tool.kind === 'builtin') return tool.name !== 'http_request' && tool.name !== 'web_search';
  return tool.kind === 'defined' && effect !== 'none';
}

/**
 * Tells whether the result of a command may depend on files of the workspace that it does not name under `reads:`, or
 * be files that it does not name under `writes:`; of a tool or an agent, on those that it reaches.
 */
function touchesUnnamed(step: Step, agents: Plan['agents']): boolean {
  if (step.kind === 'agent') return (agents[step.agent]?.uses ?? []).length > 0;
  if (step.kind === 'tool') return looksAround(step.tool, step.effect);
  if (step.kind !== 'command' || step.effect === 'none') return false;
  return step.reads.length === 0 || (step.effect === 'workspace' && (step.writes ?? []).length === 0);
}

/**
 * Tells whether any step of a Plan may, a program that plays an agent, or a workflow that is made in the run: nobody
 * knows before what its agents do.
 */
export function dependsOnWorkspace(plan: Plan): boolean {
  return [...everyStepOf(plan)].some(
    (step) =>
      step.kind === 'plan' ||
      touchesUnnamed(step, plan.agents) ||
      (step.kind === 'agent' && (plan.agents[step.agent]?.program ?? null) !== null),
  );
}

/** Tells whether any step of a Plan may change files of the workspace. */
export function mayChangeWorkspace(plan: Plan): boolean {
  return (
    dependsOnWorkspace(plan) || [...everyStepOf(plan)].some((step) => step.kind === 'command' && step.effect !== 'none')
  );
}

/** Tells whether a path is one of these, or below one. */
export function isWithin(path: string, paths: string[]): boolean {
  return paths.some((above) => path === above || path.startsWith(`${above}/`));
}

/**
 * Tells whether a step runs anew that stands at a path: it is one of these, or below one. `rounds/2+` is all rounds of
 * a loop from its third one on.
 */
export function runsAnew(path: string, fresh: string[]): boolean {
  return fresh.some((above) => {
    if (!above.endsWith('+')) return isWithin(path, [above]);
    const from = above.lastIndexOf('/') + 1;
    return (
      path.startsWith(above.slice(0, from)) && Number.parseInt(path.slice(from)) >= Number.parseInt(above.slice(from))
    );
  });
}

/**
 * Tells whether a step's effect is external and has happened: it is never repeated, whatever files have changed
 * (decision 14).
 */
function isDone({ done }: ReuseSettings, step: Step, path: string): boolean {
  return step.effect === 'external' && done !== null && done.includes(path);
}

/** Tells whether a step clears up after what ran: a run before cleared up something else than what this one leaves. */
function clearsUp(step: Step, agents: Plan['agents']): boolean {
  return step.always && step.effect === 'workspace' && (step.kind !== 'agent' || touchesUnnamed(step, agents));
}

/** Tells whether a step is about files alone, which its output either says nothing of or compares as they are now. */
function isFileAlone(step: Step): boolean {
  if (step.kind !== 'tool' || step.tool.kind !== 'builtin') return false;
  return ['keep_context', 'compare_workspace', 'test_changes'].includes(step.tool.name);
}

/**
 * Tells whether a step may change files: its output without them would be half of its result, and what comes after it
 * may depend on them. `byProgram` says that a program plays it.
 */
export function mayChangeFiles(step: Step, agents: Plan['agents'], byProgram: boolean): boolean {
  if (step.effect === 'none' || isFileAlone(step)) return false;
  if (step.kind === 'tool') return step.tool.kind === 'mcp' || looksAround(step.tool, step.effect);
  return byProgram || step.kind === 'command' || touchesUnnamed(step, agents);
}

/** A step where it stands in a run. */
interface Placed {
  step: Step;
  path: string;
  agents: Plan['agents'];
  /**
   * It was done before in this run, and is to be done again: it was sent back, or what it is part of is tried again.
   */
  again?: boolean;
}

/** Tells whether a step runs anew whatever is there: that was asked for, or its result says nothing of files now. */
function isFresh({ fresh }: ReuseSettings, { step, path, agents, again }: Placed, done: boolean): boolean {
  // What is done outside stays done, however often it is asked for.
  return (again === true && !done) || runsAnew(path, fresh) || clearsUp(step, agents) || isFileAlone(step);
}

/** Tells whether files that a step has changed are not where the rerun works; what is done outside stays done. */
function isElsewhere({ in_tree }: ReuseSettings, { changes, done }: { changes: boolean; done: boolean }): boolean {
  return in_tree === true && changes && !done;
}

/**
 * What a step of a rerun may take over (decision 14). It runs anew, whatever its content, where that was asked for,
 * where it was done before in this run, where it clears up at the end, or where files have changed that it may read or
 * have written; `byProgram` says that a program plays it, which reads what it likes.
 */
export function reuseFor(
  settings: ReuseSettings,
  { byProgram = false, ...placed }: Placed & { byProgram?: boolean },
): Reuse {
  const { step, path, agents } = placed;
  const done = isDone(settings, step, path);
  const looks = !done && (byProgram || touchesUnnamed(step, agents));
  const changes = mayChangeFiles(step, agents, byProgram);
  const sources = [settings, ...(settings.earlier ?? [])].filter(({ changed }) => !changed || !looks);
  const [from = settings.from, ...earlier] = sources.map((source) => source.from);
  const never = sources.length === 0 || isFresh(settings, placed, done) || isElsewhere(settings, { changes, done });
  return {
    run: settings.run,
    from,
    ...(earlier.length > 0 && !never && { earlier }),
    ...(never && { never }),
    ...(looks && !never && { looks }),
    ...(changes && { changes }),
    ...(done && { done }),
  };
}

/** The folder that a command's relative paths start from; who works in a work tree leaves it for nobody. */
export function folderOf({ from }: CommandStep, { caller, workspace, worktree }: RunSettings): string {
  return from === 'caller' && worktree === undefined ? caller : workspace;
}
