import type { Act, ModelStep, ModelWorkflow, Mode, OnError, Repeat } from './reference.js';

/** What a run may use, and what happens when that is not enough. */
export type ModelBudget =
  | { kind: 'none' }
  /** Fails at this many steps. */
  | { kind: 'steps'; limit: number }
  /** Too little for one call: pauses, and is topped up until it does. */
  | { kind: 'usd' }
  /** Too few for one call: stops. */
  | { kind: 'tokens' };

/**
 * Draws a random valid definition: all modes, groups, references, failures, conditions, repetitions, gates, nesting.
 */
export function generate(draw: () => number): ModelWorkflow {
  let names = 0;
  let steps = 0;
  const upTo = (limit: number): number => Math.floor(draw() * limit);
  const pick = <T>(...options: T[]): T => options[upTo(options.length)] as T; // options is never empty here
  const chance = (of: number): boolean => draw() < of;

  const workflow = (depth: number): ModelWorkflow => {
    const mode = pick<Mode>('sequential', 'parallel', 'dag');
    const name = `w${names++}`;
    return {
      name,
      mode,
      steps: siblings(mode, 1 + upTo(depth === 0 ? 6 : 3), depth),
      finally: chance(0.15) ? [chance(0.3), false].slice(upTo(2)) : [],
    };
  };

  const siblings = (mode: Mode, count: number, depth: number): ModelStep[] =>
    Array.from({ length: count }, (_, index) => step(mode, index, depth));

  const step = (mode: Mode, index: number, depth: number): ModelStep => {
    const some = (of: number): number[] =>
      Array.from({ length: index }, (_, earlier) => earlier).filter(() => chance(of));
    const on_error = pick<OnError | null>(
      null,
      null,
      'continue',
      'skip_dependents',
      ...(mode === 'sequential' ? (['stop'] as const) : []),
    );
    const stops = on_error === 'stop' || (on_error === null && mode === 'sequential');
    const repeats = depth < 2 && chance(0.25) ? repeat(stops) : null;
    const does = act(depth, repeats);
    return {
      id: `s${steps++}`,
      quick: chance(0.5),
      act: does,
      refers: saysNothing(does) ? [] : some(0.3).map((to) => ({ to, fallback: chance(0.4) ? `no${to}` : null })),
      needs: mode === 'dag' ? some(0.25) : [],
      // Members of a group stand together, as people write them.
      group: mode === 'parallel' && chance(0.5) ? `g${Math.floor(index / 3)}` : null,
      on_error,
      when: index > 0 && !hasCondition(repeats) && chance(0.15) ? { step: upTo(index), succeeded: chance(0.7) } : null,
      repeat: repeats,
    };
  };

  /** What stops at a failure goes through its items one by one: else it is a matter of time which of them it hits. */
  const repeat = (stops: boolean): Repeat =>
    chance(0.5)
      ? {
          kind: 'foreach',
          items: upTo(4),
          window: stops ? 1 : pick(null, null, 1, 2),
          skips: chance(0.3) ? upTo(3) : null,
        }
      : { kind: 'loop', until: upTo(4), max: 1 + upTo(3), at_max: pick('error', 'continue') };

  const act = (depth: number, repeats: Repeat | null): Act => {
    if (depth < 2 && chance(0.12)) return { kind: 'workflow', workflow: workflow(depth + 1) };
    if (repeats !== null && chance(0.4)) {
      const mode = pick<Mode>('sequential', 'parallel', 'dag');
      return { kind: 'block', mode, steps: siblings(mode, 1 + upTo(3), depth + 1) };
    }
    const kind = pick('command', 'command', 'command', 'command', 'agent', 'set', 'set', 'wait', 'approval', 'ask');
    if (kind === 'approval' || kind === 'ask') return { kind, approve: kind === 'ask' || chance(0.8) };
    if (kind !== 'command') return { kind };
    return { kind, fails: repeats === null ? chance(0.25) : pick<boolean | number>(false, false, true, 0, 1) };
  };
  return workflow(0);
}

/** The same with looks in place of most commands, questions and values: such steps may be done in rows. */
export function withLooks(workflow: ModelWorkflow, draw: () => number): ModelWorkflow {
  return { ...workflow, steps: workflow.steps.map((step) => looking(step, draw)) };
}

function looking(step: ModelStep, draw: () => number): ModelStep {
  const { act } = step;
  if (act.kind === 'workflow') return { ...step, act: { ...act, workflow: withLooks(act.workflow, draw) } };
  if (act.kind === 'block') return { ...step, act: { ...act, steps: act.steps.map((one) => looking(one, draw)) } };
  const fails = act.kind === 'command' ? act.fails : false;
  const mayLook = act.kind === 'command' || act.kind === 'agent' || act.kind === 'set';
  if (!mayLook || typeof fails === 'number' || draw() < 0.2) return step;
  return { ...step, act: { kind: 'look', fails }, refers: [] };
}

/** Of these no text refers to anything. */
function saysNothing({ kind }: Act): boolean {
  return kind === 'wait' || kind === 'block';
}

function hasCondition(repeat: Repeat | null): boolean {
  return repeat?.kind === 'foreach' && repeat.skips !== null;
}

/** Draws what the run of a definition may use that takes `spent` steps and `calls` of a model. */
export function drawBudget(draw: () => number, { spent, calls }: { spent: number; calls: number }): ModelBudget {
  const kind = draw();
  if (kind < 0.25 && spent > 0) return { kind: 'steps', limit: 1 + Math.floor(draw() * spent * 1.3) };
  if (kind < 0.7 && calls > 0) return { kind: draw() < 0.6 ? 'usd' : 'tokens' };
  return { kind: 'none' };
}
