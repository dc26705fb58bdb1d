import { didYouMean } from '../problems/did-you-mean.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import type { Names } from '../expressions/scope.js';
import { orderHint, orderProblem } from '../expressions/scope.js';

/** The steps that a step's `needs:` names, and the one whose tree it commits, by index; what names none is reported. */
export function needsOf(node: Node, index: number, names: Names, report: Report): number[] {
  const commit = memberOf(node, 'commit');
  const of = commit && memberOf(commit, 'of');
  if (of === null && memberOf(node, 'needs') === null) return [];
  const naming = { names, report };
  return [...new Set([...targetsOf('needs', node, index, naming), ...(of ? targetAt(of, of, index, naming) : [])])];
}

/** The steps that a step's `after:` names, by index; what names none is reported. */
export function afterOf(node: Node, index: number, names: Names, report: Report): number[] {
  if (memberOf(node, 'after') === null) return [];
  return [...new Set(targetsOf('after', node, index, { names, report }))];
}

interface Naming {
  names: Names;
  report: Report;
}

function targetsOf(key: 'needs' | 'after', node: Node, index: number, naming: Naming): number[] {
  const written = memberOf(node, key);
  const items = written?.items ?? (written === null ? [] : [written]);
  return items.flatMap((item) => targetAt(item, written ?? item, index, naming));
}

/** The step that an item names, if it comes before: what is wrong with the order is reported at `at`. */
function targetAt(item: Node, at: Node, index: number, { names, report }: Naming): number[] {
  const target = targetOf(item, names, report);
  if (target === null) return [];
  const order = orderProblem(names, index, [target]);
  if (order === null) return [target];
  report({ code: 'forward-reference', at, message: order, suggestion: orderHint(names) });
  return [];
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
      message: `\`${value}\` is a parallel group; steps are named here.`,
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
