import type { Expression, Root } from '../../plan/values/expression.js';
import { OUTER } from '../../plan/values/expression.js';
import { didYouMean } from '../problems/did-you-mean.js';
import { hintOfInput, inPlaceOf } from './near-input.js';
import type { WrittenReference } from './parse-expression.js';
import type { Place, Report } from '../problems/problem.js';

export type Mode = 'sequential' | 'parallel' | 'dag';

/** What the names in one `steps:` mean, and the scope around it. */
export interface Names {
  mode: Mode;
  /** How many steps there are, those of `finally` included. */
  steps: number;
  /** How many of them are ordinary; the others are `finally` and run last. */
  ordinary: number;
  /** Step indexes by id, and by output name. */
  ids: Map<string, number>;
  outputs: Map<string, number>;
  groups: Map<string, number[]>;
  /** Those of the workflow, the same in all its scopes. */
  inputs: Set<string>;
  /** Ids and outputs inside the bodies of these steps, which are seen only there, and the step that holds them. */
  hidden: Map<string, number>;
  /** Where this body stands; null for a workflow's own steps. */
  outer: { names: Names; at: number } | null;
  /** What runs the body again: an item of a foreach or a round of a loop; null for a workflow's own steps. */
  repeats: 'foreach' | 'loop' | null;
  /** The body is the step itself: numbers of steps are those of the scope around. */
  single: boolean;
}

/** What a step's result has. */
export const STEP_FIELDS = [
  'output',
  'status',
  'error',
  'duration_ms',
  'agent',
  'step_index',
  'id',
  'decided_by',
  'comment',
];
export const GROUP_FIELDS = ['outputs', 'succeeded', 'failed', 'status'];
export const REWORK_FIELDS = ['feedback', 'by', 'round'];
/** What a reference may start with; never the name of an input or an output. */
export const RESERVED = new Set(['steps', 'parallel_group', 'item', 'index', 'rework', 'true', 'false', 'null']);
const FORBIDDEN_SEGMENTS = new Set(['__proto__', 'constructor', 'prototype']);

type Segment = string | number;
type Code =
  'unknown-step' | 'unknown-group' | 'unknown-field' | 'forward-reference' | 'out-of-scope' | 'invalid-template';

/** One scope as a reference sees it: `outwards` scopes around it, standing at a step, or (null) after all steps. */
interface Frame {
  names: Names;
  at: number | null;
  outwards: number;
}

function* idsOf(frames: Frame[]): Generator<string> {
  for (const { names } of frames) yield* names.ids.keys();
}

function framesFrom(names: Names, at: number | null): [Frame, ...Frame[]] {
  const first: Frame = { names, at, outwards: 0 };
  const frames: [Frame, ...Frame[]] = [first];
  for (let { outer } = names; outer !== null; outer = outer.names.outer)
    frames.push({ ...outer, outwards: frames.length });
  return frames;
}

/**
 * Says what references mean where one step stands (`at`), or after all steps of a scope (null): its `output`, a loop's
 * `until`. Inner names hide outer ones. Whatever means nothing is reported; a bare name that nothing else has is an
 * input.
 */
export function createScope(
  names: Names,
  at: number | null,
  report: Report,
): (reference: WrittenReference, place: Place) => Expression | null {
  const frames = framesFrom(names, at);
  return (reference, place) => {
    const { path, source } = reference;
    const lookup: Lookup = { names, frames, reference, source, place, report };
    if (path.some((segment) => FORBIDDEN_SEGMENTS.has(String(segment))))
      return fail(lookup, 'unknown-field', `There is no \`${source}\`.`);
    const [first, second, ...rest] = path;
    if (first === 'steps') return fromSteps(lookup, second, rest);
    if (first === 'rework') return fromRework(lookup, second, rest);
    if (first === 'parallel_group') return fromGroup(lookup, second, rest);
    return fromName(lookup, first, second === undefined ? [] : [second, ...rest]);
  };
}

/** One reference that is looked up: the text of it and its place, and the scopes that it sees, inner ones first. */
interface Lookup {
  names: Names;
  frames: [Frame, ...Frame[]];
  reference: WrittenReference;
  source: string;
  place: Place;
  report: Report;
}

function fail({ report, place }: Lookup, code: Code, message: string, suggestion: string | null = null): null {
  report({ code, at: place, message, suggestion });
  return null;
}

function refer({ source }: Lookup, root: Root, rest: Segment[]): Expression {
  return { kind: 'reference', root, path: rest, source };
}

function fromSteps(lookup: Lookup, segment: Segment | undefined, rest: Segment[]): Expression | null {
  const { frames } = lookup;
  if (segment === undefined) return fail(lookup, 'unknown-step', 'Expected a step: `steps[0]` or `steps.ID`.');
  if (typeof segment === 'number') return fromNumber(lookup, segment, rest);
  for (const frame of frames) {
    const index = frame.names.ids.get(segment);
    if (index !== undefined) return toStep(lookup, frame, index, rest);
  }
  if (isHidden(lookup, segment, 'step')) return null;
  return fail(
    lookup,
    'unknown-step',
    `There is no step with the id \`${segment}\`.`,
    didYouMean(segment, idsOf(frames)),
  );
}

/** A step that is its own body is counted among the steps beside it. */
function fromNumber(lookup: Lookup, number: number, rest: Segment[]): Expression | null {
  const { frames } = lookup;
  const written = frames.find((frame) => !frame.names.single) ?? frames[0];
  const { steps, ordinary } = written.names;
  const index = number < 0 ? (written.at ?? ordinary) + number : number;
  if (index < 0 || index >= steps)
    return fail(lookup, 'unknown-step', `There is no step ${number}; there are ${steps}, counted from 0.`);
  return index === written.at && frames[0].names.single && frames[0].names.repeats === 'loop'
    ? toStep(lookup, frames[0], 0, rest)
    : toStep(lookup, written, index, rest);
}

function toStep(lookup: Lookup, frame: Frame, index: number, rest: Segment[]): Expression | null {
  const isLast = isRoundBefore(frame, index);
  const order = isLast ? null : orderProblem(frame.names, frame.at, [index]);
  if (order !== null) return fail(lookup, 'forward-reference', order, orderHint(frame.names));
  const root = `${OUTER.repeat(frame.outwards)}${isLast ? 'last' : 'step'}:${index}`;
  const [field, ...deeper] = rest;
  if (field === undefined) return refer(lookup, root, []);
  if (typeof field === 'string' && STEP_FIELDS.includes(field)) return refer(lookup, `${root}.${field}`, deeper);
  const { source, place, report } = lookup;
  report({
    code: 'unknown-field',
    at: place,
    message: `A step's result has no \`${field}\`; it has ${STEP_FIELDS.join(', ')}.`,
    ...(field === 'stdout'
      ? {
          suggestion: 'what a command prints is its `output`',
          fix: inPlaceOf(place, source, source.replace(/\bstdout\b/, 'output')),
        }
      : { suggestion: didYouMean(String(field), STEP_FIELDS) }),
  });
  return null;
}

function fromGroup(lookup: Lookup, segment: Segment | undefined, rest: Segment[]): Expression | null {
  const { frames } = lookup;
  const frame =
    typeof segment === 'string' ? frames.find((candidate) => candidate.names.groups.has(segment)) : undefined;
  const members = typeof segment === 'string' ? frame?.names.groups.get(segment) : undefined;
  if (frame === undefined || members === undefined) {
    const suggestion =
      typeof segment === 'string'
        ? didYouMean(
            segment,
            frames.flatMap((candidate) => [...candidate.names.groups.keys()]),
          )
        : null;
    return fail(lookup, 'unknown-group', `There is no parallel group \`${segment ?? ''}\`.`, suggestion);
  }
  const order = orderProblem(frame.names, frame.at, members);
  if (order !== null) return fail(lookup, 'forward-reference', order, orderHint(frame.names));
  const [field, ...deeper] = rest;
  if (typeof field === 'string' && GROUP_FIELDS.includes(field))
    return refer(lookup, `${OUTER.repeat(frame.outwards)}group:${segment}.${field}`, deeper);
  const message =
    field === undefined
      ? `Expected a field of the group: ${GROUP_FIELDS.join(', ')}.`
      : `A group's result has no \`${field}\`; it has ${GROUP_FIELDS.join(', ')}.`;
  return fail(lookup, 'unknown-field', message, didYouMean(String(field ?? ''), GROUP_FIELDS));
}

function fromName(lookup: Lookup, name: string, rest: Segment[]): Expression | null {
  const { names, frames } = lookup;
  for (const frame of frames) {
    const producer = frame.names.outputs.get(name);
    if (producer !== undefined) return toStep(lookup, frame, producer, ['output', ...rest]);
  }
  if (names.inputs.has(name)) return refer(lookup, `input:${name}`, rest);
  if (name === 'run' && rest.length === 1 && rest[0] === 'unattended') return refer(lookup, 'run:unattended', []);
  if (name === 'item' || name === 'index') return fromRound(lookup, name, rest);
  if (RESERVED.has(name)) return fail(lookup, 'invalid-template', `\`${name}\` is a word of the language.`);
  if (frames.some((frame) => frame.names.ids.has(name))) return notItsStep(lookup, name, rest);
  if (isHidden(lookup, name, 'output')) return null;
  warnOfNear(name, lookup);
  return refer(lookup, `input:${name}`, rest);
}

/** A step is named with `steps.` before it, and with what of its result is meant. */
function notItsStep({ source, place, report }: Lookup, name: string, [field]: Segment[]): null {
  const isField = typeof field === 'string' && STEP_FIELDS.includes(field);
  const written = isField ? `steps.${source}` : `steps.${name}.output${source.slice(name.length)}`;
  report({
    code: 'unknown-field',
    at: place,
    message: `\`${name}\` is a step, not an output or an input.`,
    suggestion: `write \`\${${written}}\``,
    fix: inPlaceOf(place, source, written),
  });
  return null;
}

/** What the last rejection said that sent work back. */
function fromRework(lookup: Lookup, field: Segment | undefined, rest: Segment[]): Expression | null {
  return typeof field === 'string' && REWORK_FIELDS.includes(field)
    ? refer(lookup, `rework:${field}`, rest)
    : fail(lookup, 'unknown-field', `A rework has no \`${field ?? ''}\`; it has ${REWORK_FIELDS.join(', ')}.`);
}

/** The item at hand, or which item or round it is; the innermost one where several are. */
function fromRound(lookup: Lookup, name: 'item' | 'index', rest: Segment[]): Expression | null {
  const { frames } = lookup;
  const frame = frames.find(
    ({ names: { repeats } }) => repeats === 'foreach' || (name === 'index' && repeats === 'loop'),
  );
  if (frame !== undefined) return refer(lookup, `${OUTER.repeat(frame.outwards)}${name}`, rest);
  return fail(
    lookup,
    'out-of-scope',
    name === 'item'
      ? '`item` is there in a step with `foreach` only.'
      : '`index` is there in a step with `foreach` or `loop` only.',
  );
}

/**
 * Tells whether a name is that of something inside a body that the reference stands outside of; if so it is reported.
 */
function isHidden(lookup: Lookup, name: string, what: 'step' | 'output'): boolean {
  const { frames } = lookup;
  const frame = frames.find((candidate) => candidate.names.hidden.has(name));
  const holder = frame?.names.hidden.get(name);
  if (frame === undefined || holder === undefined) return false;
  const id = [...frame.names.ids].find(([, index]) => index === holder)?.[0];
  const suggestion =
    id === undefined
      ? `give step ${holder} an \`id\` or an \`output\` and refer to that`
      : `refer to all of it: \${steps.${id}.output}`;
  fail(
    lookup,
    'out-of-scope',
    `The ${what} \`${name}\` is inside the body of step ${holder}, and is seen only there.`,
    suggestion,
  );
  return true;
}

/** In a loop's body, a step that has not run yet in this round is that of the round before. */
function isRoundBefore({ names, at }: Frame, index: number): boolean {
  return names.repeats === 'loop' && at !== null && index >= at;
}

/** An undeclared name is an input; one that is nearly another name is more likely a slip. */
function warnOfNear(name: string, { frames, reference, place: at, report }: Lookup): void {
  const rounds = frames.some(({ names: { repeats } }) => repeats === 'foreach') ? ['item', 'index'] : [];
  const hint = hintOfInput(reference, at, {
    known: [...rounds, ...frames.flatMap(({ names: { outputs, inputs } }) => [...outputs.keys(), ...inputs])],
    inputs: frames[0].names.inputs,
    isTaken: (one) => RESERVED.has(one) || frames.some(({ names: { ids } }) => ids.has(one)),
  });
  if (hint === null) return;
  report({
    code: 'near-input',
    severity: 'warning',
    at,
    message: `\`${name}\` is taken for an input of the workflow.`,
    ...hint,
  });
}

/** Where steps run as they are written, a step cannot refer to itself or to what comes later; nor any to `finally`. */
export function orderProblem({ mode, ordinary }: Names, at: number | null, targets: number[]): string | null {
  if (at === null)
    return targets.some((target) => target >= ordinary)
      ? 'The steps of `finally` run after the output is known.'
      : null;
  if (at < ordinary && targets.some((target) => target >= ordinary))
    return `Step ${at} refers to a step of \`finally\`, which runs after all others.`;
  if (mode === 'dag' && at < ordinary) return null;
  const late = targets.find((target) => target >= at);
  if (late === undefined) return null;
  return late === at ? `Step ${at} refers to itself.` : `Step ${at} refers to step ${late}, which comes later.`;
}

export function orderHint({ mode }: Names): string | null {
  return mode === 'dag'
    ? null
    : `steps run in the order in which they are written (execution: ${mode}); with execution: dag they need not`;
}
