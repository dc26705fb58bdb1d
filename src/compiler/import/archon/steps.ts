import type { JsonObject } from '../../../plan/values/json.js';
import { keyOf, memberOf } from '../../text/node.js';
import { agentSteps } from './agent-steps.js';
import { bashSteps, scriptSteps } from './exec-steps.js';
import { approvalSteps, cancelSteps } from './gate-steps.js';
import type { Graph, GraphNode } from './graph.js';
import { depsOf, takesAll } from './graph.js';
import { blockOf, closing, loopSteps, nameSignal } from './loop-steps.js';
import { nameLost } from './lost-keys.js';
import { nestedSteps } from './nested-steps.js';
import { readNodes } from './read.js';
import { keeperOf } from './references.js';
import { signalIn } from './signal.js';
import type { Task } from './step-parts.js';
import { taskOf } from './step-parts.js';
import type { Scope, Translation } from './translation.js';

/** The steps of the nodes of one scope, in their order; null when something in them is refused, which is reported. */
export function stepsOf(scope: Scope, translation: Translation, texts: string[]): JsonObject[] | null {
  const lists = scope.graph.nodes.map((node) => {
    const task = taskOf(node, scope, translation);
    nameLost(node, { ...translation, texts });
    nameOwn(node, translation);
    const steps = task && stepsOfNode(task, texts);
    const [first] = steps ?? [];
    if (first !== undefined && node.said.description !== undefined)
      translation.comments.set(first, [node.said.description]);
    return steps;
  });
  return lists.includes(null) ? null : lists.flatMap((list) => list ?? []);
}

function stepsOfNode(task: Task, texts: string[]): JsonObject[] | null {
  switch (task.node.kind) {
    case 'command':
    case 'prompt':
      return agentSteps(task);
    case 'bash':
      return bashSteps(task);
    case 'script':
      return scriptSteps(task);
    case 'loop':
      return loopSteps(task);
    case 'loop_group':
      return groupSteps(task, texts);
    case 'approval':
      return approvalSteps(task);
    case 'cancel':
      return cancelSteps(task);
    case 'include':
    case 'workflow':
      return nestedSteps(task);
  }
}

function nameOwn({ id, step, at }: GraphNode, { losses }: Translation): void {
  if (id !== step) losses.harmless(`${id}.id`, memberOf(at, 'id') ?? at, `the step is called \`${step}\` here`);
}

/** A node whose body is nodes, which run in rounds. */
function groupSteps(task: Task, texts: string[]): JsonObject[] | null {
  const { node, scope, translation } = task;
  const group = node.said.loop_group;
  const list = memberOf(memberOf(node.at, 'loop_group') ?? node.at, 'nodes');
  if (group === undefined || list === null) return null;
  const read = readNodes(list, translation);
  if (read === null) return null;
  const graph = inherited(read, node);
  const steps = stepsOf({ graph, outer: { scope, node } }, translation, texts);
  const sink = lastOf(graph);
  const body =
    sink &&
    closing(task, group, { ends: endsOf(task, sink), output: `steps.${sink.step}.output ?? ''`, variables: undefined });
  if (steps === null || sink === null || body === null) return null;
  const strict = graph.nodes.every(takesAll);
  const sinks = sinksOf(graph).map(({ step }) => step);
  const ordered = body.steps.map((step, index) =>
    index === 0 ? { ...step, after: sinks } : { ...step, after: [String(body.steps[0]?.['id'])] },
  );
  const all = [
    ...steps.map((step) => (strict ? stopping(step) : step)),
    ...ordered,
    ...keeperSteps(node.step, translation),
  ];
  return [
    blockOf(task, group, all, {
      until: body.until,
      yields: `\${steps.${sink.step}.output ?? ''}`,
      more: { execution: 'dag' },
    }),
  ];
}

/** A body ends with the first of its steps that fails, unless it says otherwise. */
function stopping(step: JsonObject): JsonObject {
  return 'on_error' in step ? step : { ...step, on_error: 'stop' };
}

/** Nodes of a body have the model of their group unless they say another. */
function inherited(graph: Graph, { said: { model, provider } }: GraphNode): Graph {
  for (const { said } of graph.nodes) {
    said.model ??= model;
    said.provider ??= provider;
  }
  return graph;
}

function endsOf({ node, translation }: Task, sink: GraphNode): string[] {
  const signal = node.said.loop_group?.until;
  if (signal === undefined) return [];
  nameSignal(node.id, keyOf(node.at, 'loop_group'), translation);
  return [signalIn(`steps.${sink.step}.output`, signal)];
}

/** Nodes that no other depends on. */
export function sinksOf({ nodes }: Graph): GraphNode[] {
  const needed = new Set(nodes.flatMap(depsOf));
  return nodes.filter(({ id }) => !needed.has(id));
}

/** The node whose output is that of all: the first that no other depends on. */
export function lastOf(graph: Graph): GraphNode | null {
  return sinksOf(graph)[0] ?? null;
}

/** What the next round may read of this one. */
function keeperSteps(step: string, { kept }: Translation): JsonObject[] {
  const names = [...(kept.get(step) ?? [])];
  if (names.length === 0) return [];
  return [
    { id: keeperOf(step), set: Object.fromEntries(names.map((name) => [name, `\${steps.${name}.output ?? ''}`])) },
  ];
}
