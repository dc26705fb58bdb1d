import type { Place } from '../../compiler/problems/source.js';
import { isAt } from '../../compiler/problems/source.js';
import type { Node } from '../../compiler/text/node.js';
import { memberOf, placesIn } from '../../compiler/text/node.js';
import { parseText } from '../../compiler/expressions/template.js';

/** Every step of a workflow, those inside of others too. */
export function everyStep(root: Node): Node[] {
  return ['steps', 'finally']
    .flatMap((key) => memberOf(root, key)?.items ?? [])
    .flatMap((step) => [step, ...everyStep(step)]);
}

/** Steps that see each other's names, and where they stand. */
interface StepScope {
  steps: Node[];
  /** The first of each id. */
  byId: ReadonlyMap<string, Node>;
  outer: StepScope | null;
}

function scopeOf(steps: Node[], outer: StepScope | null): StepScope {
  const byId = new Map<string, Node>();
  for (const step of steps) {
    const id = memberOf(step, 'id')?.value;
    if (typeof id === 'string' && !byId.has(id)) byId.set(id, step);
  }
  return { steps, byId, outer };
}

/** A place that names a step of the file: its `id`, or what refers to it. */
export interface NamedStep {
  id: string;
  at: Place;
  /** The step that is meant, where there is one. */
  step: Node | null;
  isDefinition: boolean;
}

/** Keys under which steps are named by their ids. */
const BY_ID = new Set(['needs', 'after', 'rework', 'different_from']);

/** Every place of a workflow that names a step by its id. */
export function namedSteps(root: Node): NamedStep[] {
  const found: NamedStep[] = [];
  const list = (node: Node, key: string): Node[] => memberOf(node, key)?.items ?? [];
  const top = scopeOf([...list(root, 'steps'), ...list(root, 'finally')], null);
  const output = memberOf(root, 'output');
  if (output !== null) lookIn(output, top, found);
  walkScope(top, found);
  return found;
}

function walkScope(scope: StepScope, found: NamedStep[]): void {
  for (const step of scope.steps) {
    const body = memberOf(step, 'steps')?.items ?? null;
    const inner = body === null ? null : scopeOf(body, scope);
    for (const [key, { node }] of step.members ?? []) {
      if (key === 'id' && typeof node.value === 'string') found.push(nameAt(node, node.value, step, true));
      else lookAtKey(key, node, scope, found);
      if (key !== 'steps') lookIn(node, inner !== null && INSIDE.has(key) ? inner : scope, found);
    }
    if (inner !== null) walkScope(inner, found);
  }
}

function lookAtKey(key: string, node: Node, scope: StepScope, found: NamedStep[]): void {
  if (BY_ID.has(key)) lookAtIds(node, scope, found);
  else if (key === 'commit') lookAtIds(memberOf(node, 'of'), scope, found);
  else if (key === 'approval') for (const by of BY_ID) lookAtIds(memberOf(node, by), scope, found);
}

/** What a step with steps of its own says of them. */
const INSIDE = new Set(['yields', 'loop']);

function lookAtIds(node: Node | null, scope: StepScope, found: NamedStep[]): void {
  if (node === null) return;
  if (node.items !== null) for (const item of node.items) lookAtIds(item, scope, found);
  else if (node.members !== null) lookAtIds(memberOf(node, 'step'), scope, found);
  else if (typeof node.value === 'string' && !node.value.includes('${')) {
    const step = stepOf(node.value, scope);
    if (step !== null) found.push(nameAt(node, node.value, step, false));
  }
}

/** References in all texts of a value. */
function lookIn(node: Node, scope: StepScope, found: NamedStep[]): void {
  for (const item of node.items ?? []) lookIn(item, scope, found);
  for (const [, member] of node.members ?? []) lookIn(member.node, scope, found);
  const { value } = node;
  if (typeof value !== 'string' || !value.includes('${')) return;
  const placeOf = placesIn(node);
  parseText(
    value,
    {
      operators: true,
      resolve: ({ path: [first, id], source, start }) => {
        const before = /^steps\s*\.\s*/.exec(source)?.[0].length;
        if (first !== 'steps' || typeof id !== 'string' || before === undefined) return null;
        found.push({ id, at: placeOf(start + before, id.length), step: stepOf(id, scope), isDefinition: false });
        return null;
      },
    },
    () => null,
  );
}

function nameAt(node: Node, id: string, step: Node, isDefinition: boolean): NamedStep {
  return { id, at: placesIn(node)(0, id.length), step, isDefinition };
}

/** The step of an id as a scope sees it: inner names hide outer ones. */
function stepOf(id: string, scope: StepScope | null): Node | null {
  for (let around = scope; around !== null; around = around.outer) {
    const found = around.byId.get(id);
    if (found !== undefined) return found;
  }
  return null;
}

/** The texts that stand at an offset, from the outside in, each with its key. */
export function pathAt(root: Node, offset: number): { key: string | null; node: Node }[] {
  const path: { key: string | null; node: Node }[] = [];
  let current: { key: string | null; node: Node } | undefined = { key: null, node: root };
  while (current !== undefined) {
    path.push(current);
    const { node, key }: { key: string | null; node: Node } = current;
    const below: { key: string | null; node: Node }[] = [
      ...(node.items ?? []).map((item) => ({ key, node: item })),
      ...[...(node.members ?? [])].map(([name, member]) => ({ key: name, node: member.node })),
    ];
    current = below.find(({ node: inside }) => isAt(inside, offset));
  }
  return path;
}
