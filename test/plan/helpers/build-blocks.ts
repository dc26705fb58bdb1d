import type { Expression, Template } from '../../../src/plan/values/expression.js';
import type {
  Body,
  CommandStep,
  ForeachStep,
  LoopStep,
  SetStep,
  Step,
  StepBase,
  WaitStep,
} from '../../../src/plan/step.js';
import { commandStep, stepBase } from './build-plan.js';

/** `${root}` alone, with an optional path. */
export function reference(root: string, ...path: (string | number)[]): Expression {
  return { kind: 'reference', root, path, source: root };
}

export function whole(root: string, ...path: (string | number)[]): Template {
  return { kind: 'expression', expression: reference(root, ...path) };
}

/** Text with references: strings stand as they are, roots are written as `{root: …}`. */
export function textOf(...parts: (string | { root: string })[]): Template {
  return {
    kind: 'text',
    parts: parts.map((part) => (typeof part === 'string' ? part : { expression: reference(part.root) })),
  };
}

/** Prints its words to stdout; a reference is written as a template. */
export function echo(index: number, word: Template, base: Partial<StepBase> = {}): CommandStep {
  return {
    ...commandStep(index, ['printf', '%s'], { timeout_ms: 10_000, ...base }),
    argv: [literal('printf'), literal('%s'), word],
  };
}

/** Runs a shell script; `$1`… are the words. */
export function script(index: number, text: string, words: Template[] = [], base: Partial<StepBase> = {}): CommandStep {
  return {
    ...commandStep(index, [], { timeout_ms: 10_000, ...base }),
    argv: [literal('sh'), literal('-c'), literal(text), literal('sh'), ...words],
  };
}

export function literal(value: string): Template {
  return { kind: 'literal', value };
}

export function single(step: Step): Body {
  return { steps: [step], groups: {}, output: null, single: true };
}

export function many(steps: Step[], output: Template | null = null): Body {
  return { steps, groups: {}, output, single: false };
}

export function foreach(index: number, items: Template, body: Body, base: Partial<ForeachStep> = {}): ForeachStep {
  return {
    ...stepBase(index, { timeout_ms: 0, ...base }),
    kind: 'foreach',
    items,
    max_parallel: base.max_parallel ?? null,
    body,
  };
}

export function loop(index: number, until: Expression, body: Body, base: Partial<LoopStep> = {}): LoopStep {
  return {
    ...stepBase(index, { timeout_ms: 0, ...base }),
    kind: 'loop',
    until,
    max: base.max ?? 10,
    at_max: base.at_max ?? 'error',
    body,
  };
}

export function set(index: number, values: Record<string, Template>, base: Partial<StepBase> = {}): SetStep {
  return { ...stepBase(index, { timeout_ms: 0, effect: 'none', ...base }), kind: 'set', values };
}

export function wait(index: number, forMs: number, base: Partial<StepBase> = {}): WaitStep {
  return { ...stepBase(index, { timeout_ms: 0, effect: 'none', ...base }), kind: 'wait', for_ms: forMs, until: null };
}

export function waitUntil(index: number, until: Template, base: Partial<StepBase> = {}): WaitStep {
  return { ...wait(index, 0, base), for_ms: null, until };
}
