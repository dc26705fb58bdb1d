import type { Place } from '../../problems/problem.js';

/** Comments that belong to a piece, without their `#`: on lines of their own before it, and behind it. */
export interface Comments {
  before: string[];
  after: string | null;
}

export function noComments(): Comments {
  return { before: [], after: null };
}

/** A name with its place. */
export interface Name {
  text: string;
  at: Place;
}

/** A text in quotes. `raw` is what stands between them, escapes included. */
export interface Quoted {
  raw: string;
  at: Place;
  /** The place of a stretch of `raw`. */
  placeOf: (start: number, length: number) => Place;
}

/** The value of a definition's key: one text, or a list of them. */
export type Value = Quoted | Quoted[];

export interface Entry {
  key: Name;
  value: Value;
  /** Whether its value could not be read, which was reported. */
  faulty?: true;
  comments: Comments;
}

/** `$name := {…}`, or one `name: {…}` of `@define-agents`. */
export interface Definition {
  kind: 'definition';
  name: Name;
  entries: Entry[];
  comments: Comments;
}

/** `$name := "…"`: a text that `{name}` stands for. */
export interface Constant {
  kind: 'constant';
  name: Name;
  value: Quoted;
  comments: Comments;
}

/** `@define-agents { … }`. */
export interface DefinitionBlock {
  kind: 'block';
  agents: Definition[];
  comments: Comments;
}

interface Piece {
  at: Place;
  comments: Comments;
}

/** `name:"instruction":capture`, with `$` before a name that the flow defines, or that `temp-agents/` has. */
export interface AgentCall extends Piece {
  kind: 'agent';
  temporary: boolean;
  name: Name;
  instruction: Quoted | null;
  capture: Name | null;
}

/**
 * `@name`, `@name:"question":capture`, `@name(fallback=skip):"question"`. Without a question it may also be a label, or
 * a jump to one.
 */
export interface Mark extends Piece {
  kind: 'mark';
  name: Name;
  fallback: Name | null;
  question: Quoted | null;
  /** A name for what is approved. */
  capture: Name | null;
}

/** `@ask-human:"question":capture`. */
export interface Ask extends Piece {
  kind: 'ask';
  question: Quoted;
  capture: Name;
}

/** `[ … ]`. */
export interface Group extends Piece {
  kind: 'group';
  body: FlowExpression;
}

/** `a -> b -> …`: two items at least. */
export interface Sequence {
  kind: 'sequence';
  items: FlowExpression[];
}

/** `a || b || …`: two branches at least. */
export interface Parallel {
  kind: 'parallel';
  branches: FlowExpression[];
}

/** What stands in the parentheses of a condition, without `if`, white space folded. */
export interface Condition extends Piece {
  /** `else` for `(else)` and `(otherwise)`. */
  text: string;
  /** Written as `(else)`, without `if`: what is done when no condition before it in its chain holds. */
  isElse: boolean;
  /** A name for the condition's value: `(if passed):ok~>`. */
  capture: Name | null;
}

/** `source (if c)~> body (if d)~> body …`. Without a source the conditions are about what comes before. */
export interface Conditional {
  kind: 'conditional';
  source: FlowExpression | null;
  branches: { condition: Condition; body: FlowExpression }[];
}

export type Step = AgentCall | Mark | Ask;
export type FlowExpression = Step | Group | Sequence | Parallel | Conditional;

/** A flow's text as a tree. */
export interface FlowTree {
  definitions: (Constant | Definition | DefinitionBlock)[];
  /** Null when nothing is left of it; that is reported. */
  body: FlowExpression | null;
  /** Comments at the end. */
  comments: string[];
  /** Where a note begins that stands behind the flow and a line `---`; null without one. An offset in the text. */
  note: number | null;
}

/** Every agent that a flow defines, in the order of the text. */
export function definedAgents({ definitions }: Pick<FlowTree, 'definitions'>): Definition[] {
  return definitions.flatMap((definition) => {
    if (definition.kind === 'constant') return [];
    return definition.kind === 'block' ? definition.agents : [definition];
  });
}

/** Every text that a flow gives a name to. */
export function constantsOf({ definitions }: Pick<FlowTree, 'definitions'>): Constant[] {
  return definitions.filter((definition) => definition.kind === 'constant');
}

/** The steps and the conditions of an expression in the order of the text. */
function* partsOf(expression: FlowExpression): Generator<Step | Condition> {
  switch (expression.kind) {
    case 'agent':
    case 'mark':
    case 'ask':
      yield expression;
      return;
    case 'group':
      yield* partsOf(expression.body);
      return;
    case 'sequence':
      for (const item of expression.items) yield* partsOf(item);
      return;
    case 'parallel':
      for (const branch of expression.branches) yield* partsOf(branch);
      return;
    case 'conditional':
      if (expression.source !== null) yield* partsOf(expression.source);
      for (const { condition, body } of expression.branches) {
        yield condition;
        yield* partsOf(body);
      }
  }
}

/** The steps of an expression in the order of the text. */
export function stepsOf(expression: FlowExpression): Step[] {
  return [...partsOf(expression)].filter((part) => 'kind' in part);
}

/** The conditions of an expression in the order of the text. */
export function conditionsIn(expression: FlowExpression): Condition[] {
  return [...partsOf(expression)].filter((part): part is Condition => !('kind' in part));
}

/** The names of all that an expression captures, conditions' values included. */
export function capturesOf(expression: FlowExpression): Set<string> {
  return new Set([...partsOf(expression)].flatMap(({ capture }) => capture?.text ?? []));
}
