import { didYouMean } from '../problems/did-you-mean.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import type { Names } from '../expressions/scope.js';
import { orderHint, orderProblem } from '../expressions/scope.js';

/** The steps that a step's `needs:` names, and the one whose tree it commits, by index; what names none is reported. */
export function needsOf(node: Node, index: number, names: Names, report: Report): number[] {
  const needs = memberOf(node, 'needs');
  const commit = memberOf(node, 'commit');
  const of = commit && memberOf(commit, 'of');
  const named = [...(needs?.items ?? (needs === null ? [] : [needs])), ...(of ? [of] : [])];
  const targets = named.flatMap((item) => {
    const target = targetOf(item, names, report);
    return target === null || !isBefore(target, item === of ? of : (needs ?? item)) ? [] : [target];
  });
  return [...new Set(targets)];

  function isBefore(target: number, at: Node): boolean {
    const order = orderProblem(names, index, [target]);
    if (order !== null) report({ code: 'forward-reference', at, message: order, suggestion: orderHint(names) });
    return order === null;
  }
}

function targetOf(item: Node, names: Names, report: Report): number | null {
  const { value } = item;
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const found = typeof value === 'number' ? value : names.ids.get(value);
  if (found !== undefined && Number.isInteger(found) && found >= 0 && found < names.steps) return found;
  if (typeof value === 'number') {
    report({
      code: 'unknown-step',
      at: item,
      message: `There is no step ${value}; there are ${names.steps}, counted from 0.`,
    });
  } else if (names.groups.has(value)) {
    const suggestion = `refer to its results, which is an edge: \${parallel_group.${value}.outputs}`;
    report({
      code: 'unknown-step',
      at: item,
      message: `\`${value}\` is a parallel group; \`needs\` names steps.`,
      suggestion,
    });
  } else {
    report({
      code: 'unknown-step',
      at: item,
      message: `There is no step with the id \`${value}\`.`,
      suggestion: didYouMean(value, names.ids.keys()),
    });
  }
  return null;
}
