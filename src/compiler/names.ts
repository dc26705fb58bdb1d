import type { AuthoredWorkflow } from './formats/workflow.js';
import type { Node } from './node.js';
import { memberOf } from './node.js';
import type { Report } from './problem.js';
import type { Names } from './scope.js';
import { RESERVED } from './scope.js';

/**
 * The names that a workflow gives to its steps, outputs and groups. They are read from the document, so that a step
 * with other faults is still known to those that refer to it.
 */
export function collectNames(authored: AuthoredWorkflow, stepNodes: Node[], report: Report): Names {
  const names: Names = {
    mode: authored.execution ?? 'sequential',
    steps: stepNodes.length,
    ids: new Map(),
    outputs: new Map(),
    groups: new Map(),
    inputs: new Set(Object.keys(authored.inputs ?? {})),
  };
  stepNodes.forEach((node, index) => {
    takeUnique({ key: 'id', what: 'step', taken: names.ids, node, index, report });
    takeUnique({ key: 'output', what: 'output', taken: names.outputs, node, index, report });
    takeGroup(names, node, index, report);
  });
  checkOutputs(names, stepNodes, report);
  return names;
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
  else report({ code: 'duplicate-name', at: written, message: `Step ${first} has the ${what} name \`${name}\` already.`, suggestion: 'give each its own name' });
}

function takeGroup({ groups, mode }: Names, node: Node, index: number, report: Report): void {
  const written = memberOf(node, 'parallel_group');
  if (typeof written?.value !== 'string') return;
  const members = groups.get(written.value);
  if (members !== undefined) members.push(index);
  else {
    groups.set(written.value, [index]);
    if (mode === 'sequential') {
      const message = `Group \`${written.value}\` collects results, but its steps still run one after the other: the workflow is sequential.`;
      report({ code: 'group-not-parallel', severity: 'warning', at: written, message, suggestion: 'add `execution: parallel` to the workflow' });
    }
  }
}

function checkOutputs({ outputs, inputs }: Names, stepNodes: Node[], report: Report): void {
  for (const [name, index] of outputs) {
    const at = stepNodes[index] && memberOf(stepNodes[index], 'output');
    if (!at) continue;
    if (RESERVED.has(name)) report({ code: 'reserved-name', at, message: `\`${name}\` is a word of the language; an output needs another name.` });
    if (inputs.has(name)) report({ code: 'duplicate-name', at, message: `\`${name}\` is an input of the workflow already.`, suggestion: 'give the output another name' });
  }
}
