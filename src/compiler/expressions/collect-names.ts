import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import type { Mode, Names } from './scope.js';
import { RESERVED } from './scope.js';

/** Where names are collected. */
export interface Naming {
  mode: Mode;
  /** The steps as they are written, those of `finally` last. */
  stepNodes: Node[];
  /** How many of them are ordinary. */
  ordinary: number;
  inputs: Set<string>;
  outer: Names['outer'];
  repeats: Names['repeats'];
  report: Report;
}

/**
 * The names that `steps:` give to steps, outputs and groups. They are read from the document, so that a step with other
 * faults is still known to those that refer to it.
 */
export function collectNames({ mode, stepNodes, ordinary, inputs, outer, repeats, report }: Naming): Names {
  const names: Names = {
    mode,
    steps: stepNodes.length,
    ordinary,
    ids: new Map(),
    outputs: new Map(),
    groups: new Map(),
    inputs,
    hidden: new Map(),
    outer,
    repeats,
    single: false,
  };
  stepNodes.forEach((node, index) => {
    takeUnique({ key: 'id', what: 'step', taken: names.ids, node, index, report });
    takeUnique({ key: 'output', what: 'output', taken: names.outputs, node, index, report });
    takeGroup(names, node, index, report);
    if (memberOf(node, 'steps') === null) return;
    for (const name of namesInside(node)) if (!names.hidden.has(name)) names.hidden.set(name, index);
  });
  checkOutputs(names, stepNodes, report);
  return names;
}

/**
 * The scope of a step that is its own body. In a loop its id and its output stand for it there too; an item of a
 * foreach is not known to itself.
 */
export function namesOfOne(
  node: Node,
  { mode, inputs, outer, repeats }: Omit<Naming, 'stepNodes' | 'ordinary' | 'report'>,
): Names {
  const named = (key: string): Map<string, number> => {
    const name = memberOf(node, key)?.value;
    return new Map(typeof name === 'string' && repeats === 'loop' ? [[name, 0]] : []);
  };
  return {
    mode,
    steps: 1,
    ordinary: 1,
    ids: named('id'),
    outputs: named('output'),
    groups: new Map(),
    inputs,
    hidden: new Map(),
    outer,
    repeats,
    single: true,
  };
}

/** Ids and outputs in the body of a step, at any depth. */
function namesInside(node: Node): string[] {
  return (memberOf(node, 'steps')?.items ?? []).flatMap((inner) => {
    const own = ['id', 'output'].map((key) => memberOf(inner, key)?.value);
    return [...own.filter((name) => typeof name === 'string'), ...namesInside(inner)];
  });
}

interface Taking {
  key: 'id' | 'output';
  what: string;
  taken: Map<string, number>;
  node: Node;
  index: number;
  report: Report;
}

function takeUnique({ key, what, taken, node, index, report }: Taking): void {
  const written = memberOf(node, key);
  if (typeof written?.value !== 'string') return;
  const name = written.value;
  const first = taken.get(name);
  if (first === undefined) taken.set(name, index);
  else
    report({
      code: 'duplicate-name',
      at: written,
      message: `Step ${first} has the ${what} name \`${name}\` already.`,
      suggestion: 'give each its own name',
    });
}

function takeGroup({ groups, mode, ordinary }: Names, node: Node, index: number, report: Report): void {
  const written = memberOf(node, 'parallel_group');
  if (typeof written?.value !== 'string') return;
  if (index >= ordinary) {
    report({
      code: 'group-not-parallel',
      at: written,
      message: 'The steps of `finally` run one after the other, in no group.',
    });
    return;
  }
  const members = groups.get(written.value);
  if (members !== undefined) members.push(index);
  else {
    groups.set(written.value, [index]);
    if (mode === 'sequential') {
      const message =
        `Group \`${written.value}\` collects results, but its steps still run one after the other: the workflow ` +
        `is sequential.`;
      report({
        code: 'group-not-parallel',
        severity: 'warning',
        at: written,
        message,
        suggestion: 'add `execution: parallel` to the workflow',
      });
    }
  }
}

function checkOutputs({ outputs, inputs }: Names, stepNodes: Node[], report: Report): void {
  for (const [name, index] of outputs) {
    const at = stepNodes[index] && memberOf(stepNodes[index], 'output');
    if (!at) continue;
    if (RESERVED.has(name))
      report({
        code: 'reserved-name',
        at,
        message: `\`${name}\` is a word of the language; an output needs another name.`,
      });
    if (inputs.has(name))
      report({
        code: 'duplicate-name',
        at,
        message: `\`${name}\` is an input of the workflow already.`,
        suggestion: 'give the output another name',
      });
  }
}
