import type { Plan } from '../../plan/plan.js';
import type { Follow } from '../../plan/triggers/follow.js';
import { FOLLOWED_EVENT } from '../../plan/triggers/follow.js';
import { compileCondition } from '../expressions/template.js';
import type { AuthoredFollow } from '../formats/on.js';
import type { Definition } from '../load.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import { findCycle } from '../workflow/cycles.js';
import type { EventTools } from './event-inputs.js';
import { compileInputs, eventTemplates } from './event-inputs.js';

export interface FollowTools extends EventTools {
  /** The definition that is named there; null where there is none, which is reported if `isTold`. */
  named: (from: Definition, at: Node, isTold: boolean) => Definition | null;
}

/** An output is there after these. */
const USUAL_ENDS: Follow['ends'] = ['success', 'partial'];

/** Whose ends start runs of a definition, in normal form. What is wrong with it is reported. */
export function compileFollow(
  { ends }: AuthoredFollow,
  { definition, node }: { definition: Definition; node: Node },
  plan: Plan | null,
  tools: FollowTools,
): Follow {
  const templates = eventTemplates(FOLLOWED_EVENT, tools);
  const when = memberOf(node, 'when');
  const followed = followedBy(definition).flatMap((at) => tools.named(definition, at, true) ?? []);
  checkCycle(definition, tools);
  return {
    definitions: [...new Set(followed.map(({ name }) => name))],
    ends: ends === undefined ? USUAL_ENDS : Array.isArray(ends) ? [...new Set(ends)] : [ends],
    when: when === null ? null : compileCondition(when, templates),
    inputs: compileInputs(node, plan?.inputs ?? null, templates),
  };
}

/** Runs that start each other by their ends would never stop: reported where it comes back to the first. */
function checkCycle(top: Definition, { named, report }: FollowTools): void {
  const edges = (from: Definition): { at: Node; to: Definition }[] =>
    followedBy(from).flatMap((at) => {
      const to = named(from, at, false);
      return to === null ? [] : [{ at, to }];
    });
  const cycle = findCycle([top], (from) => edges(from).map(({ to }) => to));
  if (cycle === null) return;
  const last = cycle[cycle.length - 2];
  const at = last === undefined ? undefined : edges(last).find(({ to }) => to === cycle[0])?.at;
  if (at === undefined) return;
  report({
    code: 'trigger-cycle',
    at,
    message: `Runs of these definitions would start each other for ever: ${cycle
      .map(({ name }) => name)
      .reverse()
      .join(' → ')}.`,
    suggestion: 'let one of them start by itself',
  });
}

/** Where a workflow names those that it follows. */
function followedBy({ format, node }: Definition): Node[] {
  const on = format === 'workflow' ? memberOf(node, 'on') : null;
  const run = on === null ? null : memberOf(on, 'run');
  const at = run === null ? null : memberOf(run, 'definition');
  return at === null ? [] : (at.items ?? [at]);
}
