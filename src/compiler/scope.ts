import type { Expression, Root } from '../plan/expression.js';
import { didYouMean, nearest } from './nearest.js';
import type { WrittenReference } from './parse-expression.js';
import type { Place, Report } from './problem.js';

export type Mode = 'sequential' | 'parallel' | 'dag';

/** What the names in a workflow mean. */
export interface Names {
  mode: Mode;
  steps: number;
  /** Step indexes by id, and by output name. */
  ids: Map<string, number>;
  outputs: Map<string, number>;
  groups: Map<string, number[]>;
  inputs: Set<string>;
}

const STEP_FIELDS = ['output', 'status', 'error', 'duration_ms', 'agent', 'step_index', 'id'];
const GROUP_FIELDS = ['outputs', 'succeeded', 'failed', 'status'];
/** What a reference may start with, or will in a later version; never the name of an input or an output. */
export const RESERVED = new Set(['steps', 'parallel_group', 'item', 'index', 'true', 'false', 'null']);
const FORBIDDEN_SEGMENTS = new Set(['__proto__', 'constructor', 'prototype']);

type Segment = string | number;

/**
 * Says what references mean where one step stands (`at`), or the workflow's `output` (null). Whatever means nothing
 * is reported; a bare name that nothing else has is an input.
 */
export function createScope(names: Names, at: number | null, report: Report): (reference: WrittenReference, place: Place) => Expression | null {
  return ({ path, source }, place) => {
    const fail = (code: 'unknown-step' | 'unknown-group' | 'unknown-field' | 'forward-reference' | 'invalid-template', message: string, suggestion: string | null = null): null => {
      report({ code, at: place, message, suggestion });
      return null;
    };
    const refer = (root: Root, rest: Segment[]): Expression => ({ kind: 'reference', root, path: rest, source });

    const toStep = (index: number, rest: Segment[]): Expression | null => {
      const order = orderProblem(names, at, [index]);
      if (order !== null) return fail('forward-reference', order, orderHint(names));
      const [field, ...deeper] = rest;
      if (field === undefined) return refer(`step:${index}`, []);
      if (typeof field === 'string' && STEP_FIELDS.includes(field)) return refer(`step:${index}.${field}`, deeper);
      return fail('unknown-field', `A step's result has no \`${field}\`; it has ${STEP_FIELDS.join(', ')}.`, didYouMean(String(field), STEP_FIELDS));
    };

    const fromSteps = (segment: Segment | undefined, rest: Segment[]): Expression | null => {
      if (segment === undefined) return fail('unknown-step', 'Expected a step: `steps[0]` or `steps.ID`.');
      const index = typeof segment === 'number' ? countFrom(segment, at ?? names.steps) : names.ids.get(segment);
      if (index !== undefined && index >= 0 && index < names.steps) return toStep(index, rest);
      if (typeof segment === 'number') return fail('unknown-step', `There is no step ${segment}; there are ${names.steps}, counted from 0.`);
      return fail('unknown-step', `There is no step with the id \`${segment}\`.`, didYouMean(segment, names.ids.keys()));
    };

    const fromGroup = (segment: Segment | undefined, rest: Segment[]): Expression | null => {
      const members = typeof segment === 'string' ? names.groups.get(segment) : undefined;
      if (members === undefined) {
        const suggestion = typeof segment === 'string' ? didYouMean(segment, names.groups.keys()) : null;
        return fail('unknown-group', `There is no parallel group \`${segment ?? ''}\`.`, suggestion);
      }
      const order = orderProblem(names, at, members);
      if (order !== null) return fail('forward-reference', order, orderHint(names));
      const [field, ...deeper] = rest;
      if (typeof field === 'string' && GROUP_FIELDS.includes(field)) return refer(`group:${segment}.${field}`, deeper);
      const message = field === undefined ? `Expected a field of the group: ${GROUP_FIELDS.join(', ')}.` : `A group's result has no \`${field}\`; it has ${GROUP_FIELDS.join(', ')}.`;
      return fail('unknown-field', message, didYouMean(String(field ?? ''), GROUP_FIELDS));
    };

    const fromName = (name: string, rest: Segment[]): Expression | null => {
      const producer = names.outputs.get(name);
      if (producer !== undefined) return toStep(producer, ['output', ...rest]);
      if (names.inputs.has(name)) return refer(`input:${name}`, rest);
      if (RESERVED.has(name)) return fail('invalid-template', `\`${name}\` means something in a \`foreach\` only, which this version does not run yet.`);
      if (names.ids.has(name)) return fail('unknown-field', `\`${name}\` is a step, not an output or an input.`, `write \`\${steps.${name}.output}\``);
      warnOfNear(name, names, place, report);
      return refer(`input:${name}`, rest);
    };

    if (path.some((segment) => FORBIDDEN_SEGMENTS.has(String(segment)))) return fail('unknown-field', `There is no \`${source}\`.`);
    const [first, second, ...rest] = path;
    if (first === 'steps') return fromSteps(second, rest);
    if (first === 'parallel_group') return fromGroup(second, rest);
    return fromName(first, second === undefined ? [] : [second, ...rest]);
  };
}

/** An undeclared name is an input; one that is nearly another name is more likely a slip. */
function warnOfNear(name: string, { outputs, inputs }: Names, at: Place, report: Report): void {
  const near = nearest(name, [...outputs.keys(), ...inputs].slice(0, 200));
  if (near === null) return;
  const message = `\`${name}\` is taken for an input of the workflow.`;
  report({ code: 'near-input', severity: 'warning', at, message, suggestion: `did you mean \`${near}\`?` });
}

/** `steps[-1]` is the step before this one; in the workflow's output it is the last. */
function countFrom(index: number, here: number): number {
  return index < 0 ? here + index : index;
}

/** Where steps run as they are written, a step cannot refer to itself or to what comes later. */
export function orderProblem({ mode }: Names, at: number | null, targets: number[]): string | null {
  if (at === null || mode === 'dag') return null;
  const late = targets.find((target) => target >= at);
  if (late === undefined) return null;
  return late === at ? `Step ${at} refers to itself.` : `Step ${at} refers to step ${late}, which comes later.`;
}

export function orderHint({ mode }: Names): string {
  return `steps run in the order in which they are written (execution: ${mode}); with execution: dag they need not`;
}
