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

/** Steps that see each other's names. */
interface StepScope {
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
  return { byId, outer };
}

/** A place that names a step of the file: its `id`, or what refers to it. */
export interface NamedStep {
  id: string;
  at: Place;
  /** The step that is meant, where there is one. */
  step: Node | null;
  isDefinition: boolean;
}

/** A place that names a step. Where no step around it has that id, the steps at the top are not asked yet. */
interface Mention extends NamedStep {
  /** Whether the text may be another thing, and is the name of a step only where one has it. */
  isMaybe: boolean;
}

/** Keys under which steps are named by their ids. */
const BY_ID = new Set(['needs', 'after', 'rework', 'different_from']);

/** Every place of a workflow that names a step by its id. */
export function namedSteps(root: Node): NamedStep[] {
  const steps = ['steps', 'finally'].flatMap((key) => memberOf(root, key)?.items ?? []);
  const top = scopeOf(steps, null);
  const mentions: Mention[] = [];
  const output = memberOf(root, 'output');
  if (output !== null) lookIn(output, null, mentions);
  for (const step of steps) mentions.push(...mentionsIn(step));
  return mentions.flatMap(({ isMaybe, ...named }) => {
    const step = named.step ?? stepOf(named.id, top);
    return isMaybe && step === null ? [] : [{ ...named, step }];
  });
}

/** What was found in each step at the top of a file; one that was not edited is the same node, and not read again. */
const known = new WeakMap<Node, Mention[]>();

function mentionsIn(step: Node): Mention[] {
  const before = known.get(step);
  if (before !== undefined) return before;
  const found: Mention[] = [];
  walkStep(step, null, found);
  known.set(step, found);
  return found;
}

function walkStep(step: Node, scope: StepScope | null, found: Mention[]): void {
  const body = memberOf(step, 'steps')?.items ?? null;
  const inner = body === null ? null : scopeOf(body, scope);
  for (const [key, { node }] of step.members ?? []) {
    if (key === 'id' && typeof node.value === 'string')
      found.push({ ...nameAt(node, node.value, step, true), isMaybe: false });
    else lookAtKey(key, node, scope, found);
    if (key !== 'steps') lookIn(node, inner !== null && INSIDE.has(key) ? inner : scope, found);
  }
  for (const below of body ?? []) walkStep(below, inner, found);
}

function lookAtKey(key: string, node: Node, scope: StepScope | null, found: Mention[]): void {
  if (BY_ID.has(key)) lookAtIds(node, scope, found);
  else if (key === 'commit') lookAtIds(memberOf(node, 'of'), scope, found);
  else if (key === 'approval') for (const by of BY_ID) lookAtIds(memberOf(node, by), scope, found);
}

/** What a step with steps of its own says of them. */
const INSIDE = new Set(['yields', 'loop']);

function lookAtIds(node: Node | null, scope: StepScope | null, found: Mention[]): void {
  if (node === null) return;
  if (node.items !== null) for (const item of node.items) lookAtIds(item, scope, found);
  else if (node.members !== null) lookAtIds(memberOf(node, 'step'), scope, found);
  else if (typeof node.value === 'string' && !node.value.includes('${'))
    found.push({ ...nameAt(node, node.value, stepOf(node.value, scope), false), isMaybe: true });
}

/** References in all texts of a value. */
function lookIn(node: Node, scope: StepScope | null, found: Mention[]): void {
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
        const step = stepOf(id, scope);
        found.push({ id, at: placeOf(start + before, id.length), step, isDefinition: false, isMaybe: false });
        return null;
      },
    },
    () => null,
  );
}

function nameAt(node: Node, id: string, step: Node | null, isDefinition: boolean): NamedStep {
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
