import type { Condition } from '../formats/flow/ast.js';
import type { Test } from './condition.js';
import { OUTCOME_WORDS, testsIn } from './condition.js';
import type { Late } from './frame.js';
import { allOf, anyOf, binary, firstOf, literal, mentions, not } from './frame.js';
import { REQUEST } from './inputs.js';
import type { Names } from './names.js';
import { knownNames, producersOf } from './names.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { Outcome } from './outcomes.js';
import { holds } from './outcomes.js';
import type { Vocabulary } from './texts.js';
import { variable } from './texts.js';

/** What a condition is about: how the steps before it went, and what they yielded. */
export interface Prior {
  outcome: Outcome;
  /** Null when it yields nothing, as a label, or several things. */
  output: Late | null;
  /** What the branches of a parallel group yielded. */
  outputs?: Late[];
}

interface Surroundings {
  condition: Condition;
  prior: Prior | null;
  names: Names;
  vocabulary: Vocabulary;
  /** Asks a model whether words hold. */
  judge: (text: string, near: string | null) => Late;
}

/** Tells whether a test holds; false where something in it is not there, which is reported. */
export function testValue(test: Test, surroundings: Surroundings): Late {
  const { names } = surroundings;
  switch (test.kind) {
    case 'not':
      return not(testValue(test.operand, surroundings));
    case 'both':
      return allOf([testValue(test.left, surroundings), testValue(test.right, surroundings)]) ?? literal(true);
    case 'either':
      return anyOf([testValue(test.left, surroundings), testValue(test.right, surroundings)]);
    case 'outcome':
      return outcomeValue(test, surroundings);
    case 'mentions':
      return anyOf(subjects(test.name, surroundings).map((subject) => mentions(subject, test.text.toLowerCase())));
    case 'issues':
      return anyOf(subjects(producersOf(names, 'issues') === null ? null : 'issues', surroundings).map(hasIssues));
    case 'value':
    case 'compare':
      return ofVariable(test, surroundings);
    case 'else':
      // The conditions before it in its chain, which do not hold, are all that it asks for.
      return literal(true);
    case 'judged':
      return judgedValue(test, surroundings);
  }
}

/** Words that a model judges. Where there is nothing to judge, a single word was meant for a variable. */
function judgedValue({ text, name }: Test & { kind: 'judged' }, surroundings: Surroundings): Late {
  const { condition, prior, names, vocabulary, judge } = surroundings;
  if (prior === null && name !== undefined)
    return variable({ name, path: [], type: null }, condition.at, names, vocabulary) ?? literal(false);
  if (prior === null) reportNothingBefore(surroundings);
  return judge(text, name === undefined ? null : didYouMean(name, [...OUTCOME_WORDS, ...knownNames(names)]));
}

function ofVariable(test: Test & { kind: 'value' | 'compare' }, surroundings: Surroundings): Late {
  if (test.kind === 'compare') return ofComparison(test, surroundings);
  const { condition, names, vocabulary } = surroundings;
  const value = variable({ ...test, type: null }, condition.at, names, vocabulary);
  return value === null ? literal(false) : isTrue(value);
}

/**
 * A comparison as it is meant: what is compared with a number is asked for as one, and `true` is what says so, be it a
 * text or a value. A parameter is a text, which is neither more nor less than a number: of that is warned.
 */
function ofComparison(test: Compare, surroundings: Surroundings): Late {
  const { name, path, operator, value } = test;
  const { condition, names, vocabulary } = surroundings;
  warnOfBareWord(test, surroundings);
  const [one, other] = [namedValue({ name }, surroundings), namedValue(value, surroundings)];
  const texts = [one, other].flatMap((side) => (isName(side) && isText(side.name, surroundings) ? [side.name] : []));
  const { isNumber, isVain } = kindOf({ one, other, isOrder: operator !== '==' && operator !== '!=' }, texts.length);
  if (isVain)
    vocabulary.report({
      code: 'invalid-value',
      severity: 'warning',
      at: condition.at,
      message: `\`${texts[0] ?? name}\` is a text, which is neither more nor less than a number.`,
      suggestion: 'compare it with `==`, or capture a number that a step makes of it',
    });
  const read = (side: Compare['value'], inside: (string | number)[]): Late | null => {
    if (!isName(side)) return literal(side);
    const type = isNumber && !isText(side.name, surroundings) ? 'number' : null;
    return variable({ name: side.name, path: inside, type }, condition.at, names, vocabulary);
  };
  const left = read(path.length === 0 && typeof other !== 'string' && texts.length === 0 ? one : { name }, path);
  if (typeof other === 'boolean' && left !== null) return binary(operator, lower(left), literal(String(other)));
  const right = read(typeof other === 'number' && texts.length > 0 ? String(other) : other, []);
  return left === null || right === null || isVain ? literal(false) : binary(operator, left, right);
}

type Compare = Test & { kind: 'compare' };

/** A word that is a text where it stands, and was perhaps meant for what has that name elsewhere. */
function warnOfBareWord({ value, isBare }: Compare, { condition, vocabulary }: Surroundings): void {
  if (isBare !== true || typeof value !== 'string') return;
  vocabulary.report({
    code: 'unknown-variable',
    severity: 'warning',
    at: condition.at,
    message: `\`${value}\` is a text here${value === REQUEST ? '' : ': no step before this condition captures it'}.`,
    suggestion:
      `write \`"${value}"\` where that text is meant` +
      (value === REQUEST ? ', and `{request}` for the request' : '; else capture it before the condition'),
  });
}

/** Whether two sides, of which so many are given as texts, are compared as numbers, and whether that never holds. */
function kindOf(
  { one, other, isOrder }: { one: Compare['value']; other: Compare['value']; isOrder: boolean },
  texts: number,
): { isNumber: boolean; isVain: boolean } {
  const fixed = typeof one === 'string' ? 1 : 0;
  const isNumber =
    typeof other === 'number' || (isName(other) && (typeof one === 'number' || (isOrder && texts + fixed < 2)));
  return { isNumber, isVain: isOrder && isNumber && texts + fixed > 0 };
}

function isName(value: Compare['value']): value is { name: string } {
  return typeof value === 'object' && value !== null;
}

/** What stands for a name: a constant is its text, or the number that it says. */
function namedValue(value: Compare['value'], { vocabulary }: Surroundings): Compare['value'] {
  const parts = isName(value) ? vocabulary.constants.get(value.name) : undefined;
  const [only = ''] = parts ?? [];
  if (parts === undefined || parts.length > 1 || typeof only !== 'string') return value;
  return /^-?\d+(?:\.\d+)?$/.test(only) ? Number(only) : only;
}

/** Tells whether a name is that of a parameter, which is given as a text. */
function isText(name: string, { names, vocabulary }: Surroundings): boolean {
  const { inputs, constants } = vocabulary;
  return producersOf(names, name) === null && (constants.has(name) || inputs.declares(name) || name === REQUEST);
}

function lower(value: Late): Late {
  return (from) => ({ kind: 'call', name: 'lower', operands: [value(from)] });
}

function outcomeValue(test: Test & { kind: 'outcome' }, surroundings: Surroundings): Late {
  const { condition, prior, names, vocabulary } = surroundings;
  if (test.name === null) {
    if (prior !== null) return holds(test.of, prior.outcome);
    reportNothingBefore(surroundings);
    return literal(false);
  }
  const producers = producersOf(names, test.name);
  const handles = (producers ?? []).flatMap((producer) => (producer.kind === 'step' ? [producer.handle] : []));
  if (handles.length === 0) {
    const value = variable({ name: test.name, path: [test.of], type: null }, condition.at, names, vocabulary);
    return value === null ? literal(false) : isTrue(value);
  }
  return anyOf(handles.map((handle) => holds(test.of, { kind: 'step', handle, verdict: true })));
}

/** The variable, or what came before: several outputs where several branches did. */
function subjects(name: string | null, surroundings: Surroundings): Late[] {
  const { condition, prior, names, vocabulary } = surroundings;
  if (name !== null) {
    const value = variable({ name, path: [], type: null }, condition.at, names, vocabulary);
    return value === null ? [] : [value];
  }
  if (prior === null) reportNothingBefore(surroundings);
  return prior?.outputs ?? (prior?.output == null ? [] : [prior.output]);
}

function reportNothingBefore({ condition, vocabulary }: Surroundings): void {
  vocabulary.report({
    code: 'missing-step',
    at: condition.at,
    message: `The condition \`${condition.text}\` is about what came before, and nothing did.`,
    suggestion: 'put it behind a step, or name a variable in it',
  });
}

/** Nothing, null, the empty text, `false` as a value or as a text are false. */
function isTrue(value: Late): Late {
  return binary('&&', value, binary('!=', lower(value), literal('false')));
}

/** Something is said, and it is not that there are none. */
function hasIssues(value: Late): Late {
  const present = firstOf([value, literal('')]);
  return allOf([isTrue(present), not(mentions(present, 'no issues'))]) ?? literal(false);
}

/** Tells whether a test looks at how the step before went, or at what it yielded. */
export function looksAtPrior(test: Test): boolean {
  return [...testsIn(test)].some(
    (one) =>
      one.kind === 'issues' ||
      one.kind === 'judged' ||
      ((one.kind === 'outcome' || one.kind === 'mentions') && one.name === null),
  );
}

/** Tells whether a test asks how the step before went: then its agent is asked to say so. */
export function asksOutcome(test: Test): boolean {
  return [...testsIn(test)].some((one) => one.kind === 'outcome' && one.name === null);
}

/** The variables that a test looks at; those whose agents are asked to say how it went. */
export function variablesOf(test: Test): { name: string; outcome: boolean }[] {
  return [...testsIn(test)].flatMap((one) => [
    ...('name' in one && one.name != null ? [{ name: one.name, outcome: one.kind === 'outcome' }] : []),
    ...(one.kind === 'compare' && isName(one.value) ? [{ name: one.value.name, outcome: false }] : []),
  ]);
}
