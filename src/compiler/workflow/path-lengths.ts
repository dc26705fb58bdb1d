import { LONGEST_PATH } from '../../plan/names.js';
import type { Plan } from '../../plan/plan.js';
import { isSingle, segmentOf } from '../../plan/plan.js';
import type { Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import { cutTo } from '../../plan/text/cut-to.js';
import type { Hash } from '../../plan/values/value.js';
import type { Place, Report } from '../problems/problem.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf } from '../text/node.js';

/** An item of a list that nobody has seen yet is named by its number, of so many digits. */
const ITEM_DIGITS = 6;
/** So much of a path that is too long is told. */
const SHOWN = 60;

/**
 * Tells whether every path that a step may have is short enough to name an activity and a run; else that is reported,
 * at the step under which it is too long: Temporal takes no longer ids, and the run would stand still.
 */
export function hasShortPaths({ steps, nested }: Pick<Plan, 'steps' | 'nested'>, node: Node, report: Report): boolean {
  const known = new Map<Hash, number>();
  /** Characters that paths below a step have beyond its own, at most. */
  const below = (step: Step): number => {
    if (isBlockStep(step)) {
      const { body } = step;
      const round = 1 + (step.kind === 'loop' ? String(step.max).length : ITEM_DIGITS);
      return round + Math.max(0, ...body.steps.map((one) => (isSingle(body) ? below(one) : withSegment(one))));
    }
    return step.kind === 'workflow' ? inNested(step.plan) : 0;
  };
  const withSegment = (step: Step): number => 1 + segmentOf(step).length + below(step);
  const inNested = (hash: Hash): number => {
    const length = known.get(hash) ?? Math.max(0, ...(nested[hash]?.steps ?? []).map(withSegment));
    known.set(hash, length);
    return length;
  };
  const long = steps.find((step) => withSegment(step) - 1 > LONGEST_PATH);
  if (long === undefined) return true;
  report({
    code: 'path-too-long',
    at: nodeOf(node, long),
    message:
      `Expected paths of steps of at most ${String(LONGEST_PATH)} characters, got one of ` +
      `${String(withSegment(long) - 1)} below \`${cutTo(segmentOf(long), SHOWN)}\`.`,
    suggestion: 'give shorter ids to what is nested, or nest less',
  });
  return false;
}

/** Where a step is written, as far as its format has a list of steps. */
function nodeOf(node: Node, { index }: Step): Place {
  const written = ['steps', 'finally'].flatMap((key) => memberOf(node, key)?.items ?? []);
  return written[index] ?? keyOf(node, 'steps');
}
