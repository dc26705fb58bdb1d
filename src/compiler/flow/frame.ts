import type { BinaryOperator, Expression, Template } from '../../plan/values/expression.js';
import { OUTER } from '../../plan/values/expression.js';
import type { Body, LoopStep, Step } from '../../plan/step.js';

/** One scope of references: the flow's own steps, or the body of a loop. Steps are built when all of them are known. */
export interface Frame {
  parent: Frame | null;
  /** The loop in the parent whose body this is. */
  loop: Handle | null;
  builders: (() => Step)[];
  ids: Set<string>;
  /** What steps outside read from inside: the fields of the loop's output. */
  exports: Map<string, Expression>;
  /** Shared by all frames of a flow. */
  size: Size;
}

/** A step of a frame. */
export interface Handle {
  frame: Frame;
  index: number;
  /** How people know its output. */
  name: string;
}

/** An expression that is written down where its reader stands: the same step has another root in every scope. */
export type Late = (from: Frame) => Expression;

/** So many references and edges make a Plan of more than 1 MiB. */
const MOST = 60_000;

/** Counts what a Plan is made of, so that a hostile flow cannot make one without end. */
export interface Size {
  count: number;
}

/** Leaves the compilation of a flow whose Plan would be too large; never leaves `compile-flow.ts`. */
export class TooLarge extends Error {}

/** Counts some references or edges; throws TooLarge when there are too many. */
export function grow(size: Size, by = 1): void {
  size.count += by;
  if (size.count > MOST) throw new TooLarge();
}

export function createFrame(parent: Frame | null, loop: Handle | null): Frame {
  return { parent, loop, builders: [], ids: new Set(), exports: new Map(), size: parent?.size ?? { count: 0 } };
}

/** The name itself, or with a number where the frame has it already. */
export function uniqueId(frame: Frame, name: string): string {
  let id = name;
  for (let number = 2; frame.ids.has(id); number++) id = `${name.slice(0, 58)}-${number}`;
  frame.ids.add(id);
  return id;
}

export type Field = 'output' | 'status';

/** A field of a step's result, from wherever it is read. */
export function refer(handle: Handle, field: Field, path: (string | number)[] = []): Late {
  return (from) => referFrom(from, handle, field, path);
}

function referFrom(from: Frame, handle: Handle, field: Field, path: (string | number)[]): Expression {
  grow(from.size);
  const outwards = distance(from, handle.frame);
  if (outwards !== null)
    return reference(`${OUTER.repeat(outwards)}step:${handle.index}.${field}`, path, handle, field);
  // It stands in a loop: the loop hands it out.
  let inner = handle.frame;
  while (inner.parent !== null && distance(from, inner.parent) === null) inner = inner.parent;
  const key = `${handle.name}_${handle.index}_${field}`.replace(/[^A-Za-z0-9_]/g, '_');
  if (!inner.exports.has(key)) inner.exports.set(key, referFrom(inner, handle, field, []));
  if (inner.loop === null) throw new Error('A step is read from a flow that does not hold it.');
  return referFrom(from, inner.loop, 'output', [key, ...path]);
}

/** What a step of a loop yielded in the round before. */
export function referLast(handle: Handle, loop: Frame, path: (string | number)[]): Late {
  return (from) => {
    grow(from.size);
    const outwards = distance(from, loop);
    if (outwards === null) throw new Error('A round is read from outside of its loop.');
    let inner = handle.frame;
    const keys: string[] = [];
    if (inner !== loop) {
      while (inner.parent !== null && inner.parent !== loop) inner = inner.parent;
      const key = `${handle.name}_${handle.index}_output`.replace(/[^A-Za-z0-9_]/g, '_');
      if (!inner.exports.has(key)) inner.exports.set(key, referFrom(inner, handle, 'output', []));
      keys.push(key);
    }
    const index = inner === loop ? handle.index : (inner.loop?.index ?? 0);
    return reference(`${OUTER.repeat(outwards)}last:${index}.output`, [...keys, ...path], handle, 'output');
  };
}

function reference(root: string, path: (string | number)[], { name }: Handle, field: Field): Expression {
  return { kind: 'reference', root, path, source: field === 'output' ? name : `${name}.${field}` };
}

/** How many scopes outwards `to` is from `from`; null when it is none of those around. */
function distance(from: Frame, to: Frame): number | null {
  let steps = 0;
  for (let frame: Frame | null = from; frame !== null; frame = frame.parent, steps++) if (frame === to) return steps;
  return null;
}

/** Builds the steps of a frame and of all loops in it; only then is known what loops hand out. */
export function buildSteps(frame: Frame): Step[] {
  const loops: { step: LoopStep; body: Frame }[] = [];
  const build = (current: Frame): Step[] =>
    current.builders.map((builder) => {
      const step = builder();
      const body = bodies.get(builder);
      if (step.kind === 'loop' && body !== undefined) {
        step.body.steps = build(body);
        loops.push({ step, body });
      }
      return step;
    });
  const steps = build(frame);
  for (const { step, body } of loops) step.body.output = outputOf(body);
  return steps;
}

const bodies = new WeakMap<() => Step, Frame>();

/** Adds a step to a frame; `body` is the frame of a loop's steps. */
export function addStep(frame: Frame, builder: () => Step, body: Frame | null = null): void {
  if (body !== null) bodies.set(builder, body);
  frame.builders.push(builder);
}

export function emptyBody(): Body {
  return { steps: [], groups: {}, output: null, single: false };
}

function outputOf({ exports }: Frame): Template | null {
  if (exports.size === 0) return null;
  return {
    kind: 'map',
    entries: Object.fromEntries([...exports].map(([key, expression]) => [key, { kind: 'expression', expression }])),
  };
}

export const literal =
  (value: string | number | boolean | null): Late =>
  () => ({ kind: 'literal', value });

export const not =
  (operand: Late): Late =>
  (from) => ({ kind: 'not', operand: operand(from) });

export function binary(operator: BinaryOperator, left: Late, right: Late): Late {
  return (from) => ({ kind: 'binary', operator, left: left(from), right: right(from) });
}

/** All of them hold; null when there are none. */
export function allOf(conditions: Late[]): Late | null {
  const [first, ...rest] = conditions;
  return first === undefined ? null : rest.reduce((left, right) => binary('&&', left, right), first);
}

/** The condition that one of several holds; false when there are none. */
export function anyOf(conditions: Late[]): Late {
  const [first, ...rest] = conditions;
  return first === undefined ? literal(false) : rest.reduce((left, right) => binary('||', left, right), first);
}

/** The first of them that is there. */
export function firstOf(values: Late[]): Late {
  return (from) => values.map((value) => value(from)).reduceRight((right, left) => ({ kind: 'coalesce', left, right }));
}

/** `text` in any case is part of what `value` is as a text. `text` is lower case. */
export function mentions(value: Late, text: string): Late {
  return inLower('contains', value, text);
}

/** Tells whether a value ends with a text in lower case, however it is written. */
export function endsIn(value: Late, text: string): Late {
  return inLower('endsWith', value, text);
}

function inLower(name: 'contains' | 'endsWith', value: Late, text: string): Late {
  return (from) => ({
    kind: 'call',
    name,
    operands: [
      { kind: 'call', name: 'lower', operands: [value(from)] },
      { kind: 'literal', value: text },
    ],
  });
}
