import type { Condition } from '../formats/flow/ast.js';
import { ownOf } from '../../plan/values/own.js';

/** What a condition asks. `name` null is what came before. */
export type Test =
  | { kind: 'outcome'; of: Outcome; name: string | null }
  | { kind: 'mentions'; name: string | null; text: string }
  | { kind: 'issues' }
  | { kind: 'value'; name: string; path: (string | number)[] }
  | {
      kind: 'compare';
      name: string;
      path: (string | number)[];
      operator: Comparison;
      /** With a variable, a parameter or a text that has a name: that name. */
      value: string | number | boolean | null | { name: string };
      /** The value is a word without quotes that has a meaning elsewhere in the flow, and here is a text. */
      isBare?: true;
    }
  | { kind: 'not'; operand: Test }
  | { kind: 'both' | 'either'; left: Test; right: Test }
  /** Nothing: `(else)` holds when no condition before it does. */
  | { kind: 'else' }
  /** Words that no rule knows: a model judges whether they hold. `name` is what could have been a variable. */
  | { kind: 'judged'; text: string; name?: string };

export type Outcome = 'passed' | 'failed' | 'all success' | 'any success' | 'all failed' | 'any failed';
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

const OUTCOMES: Record<string, Outcome> = {
  passed: 'passed',
  pass: 'passed',
  success: 'passed',
  succeeded: 'passed',
  approved: 'passed',
  failed: 'failed',
  failure: 'failed',
  rejected: 'failed',
  'all success': 'all success',
  'all passed': 'all success',
  'all succeeded': 'all success',
  'any success': 'any success',
  'any passed': 'any success',
  'any succeeded': 'any success',
  'all failed': 'all failed',
  'any failed': 'any failed',
};

/** Conditions of one word that need no variable. */
export const OUTCOME_WORDS: readonly string[] = Object.keys(OUTCOMES).filter((words) => !words.includes(' '));

const TOKEN =
  /\s*(?:"((?:[^"\\]|\\[^])*)"|([A-Za-z_][A-Za-z0-9_-]*)|(-?\d+(?:\.\d+)?)|(&&|\|\||==|!=|<=|>=|[<>!().[\]])|([^]))/uy;
const MAX_WORDS = 200;

interface Word {
  kind: 'text' | 'name' | 'number' | 'mark' | 'other' | 'end';
  text: string;
}

/** Reads conditions of one flow. */
export type TestReader = (condition: Condition) => Test;

/**
 * Reads the words of a condition, whatever their case; what no rule knows as a whole is judged, and so is a single word
 * that is no variable: `isVariable` knows those of the whole flow. A word that something is compared with is a text,
 * where nothing of that name `stands` before the condition.
 */
export function parseTest(
  text: string,
  isVariable: (name: string) => boolean,
  stands: (name: string) => boolean,
): Test {
  const words = wordsOf(text);
  if (words === null) return { kind: 'judged', text };
  const reader = createReader(words, isVariable, stands);
  const test = reader.either();
  return test !== null && reader.atEnd() ? test : { kind: 'judged', text };
}

function wordsOf(text: string): Word[] | null {
  const words: Word[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.trimEnd().length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const [, quoted, name, number, mark, other] = TOKEN.exec(text) ?? [];
    if (words.length >= MAX_WORDS) return null;
    if (quoted !== undefined) words.push({ kind: 'text', text: quoted.replace(/\\(["\\])/g, '$1') });
    else if (name !== undefined) words.push({ kind: 'name', text: name });
    else if (number !== undefined) words.push({ kind: 'number', text: number });
    else if (mark !== undefined) words.push({ kind: 'mark', text: mark });
    else words.push({ kind: 'other', text: other ?? '' });
  }
  return words;
}

type Parsed = Test | null;

type Words = ReturnType<typeof createWords>;

/** Where a reader stands among the words. */
function createWords(words: Word[]) {
  let next = 0;
  const peek = (ahead = 0): Word => words[next + ahead] ?? { kind: 'end', text: '' };
  const sees = (text: string, ahead = 0): boolean =>
    peek(ahead).kind !== 'text' && peek(ahead).text.toLowerCase() === text;
  const advance = (count: number): void => {
    next += count;
  };
  const take = (): string => words[next++]?.text ?? '';
  const takes = (...texts: string[]): boolean => {
    if (!texts.some((text) => sees(text))) return false;
    next++;
    return true;
  };

  /** `.field` and `[0]`. */
  const pathHere = (): (string | number)[] | null => {
    const path: (string | number)[] = [];
    for (;;) {
      if (sees('.') && peek(1).kind === 'name') path.push(peek(1).text);
      else if (sees('[') && /^\d{1,6}$/.test(peek(1).text) && sees(']', 2)) path.push(Number(peek(1).text));
      else return sees('.') || sees('[') ? null : path;
      next += sees('[') ? 3 : 2;
    }
  };

  const valueHere = (): string | number | boolean | null | undefined => {
    const { kind, text } = peek();
    next++;
    if (kind === 'text') return text;
    if (kind === 'number') return Number(text);
    if (kind === 'name') return text === 'true' ? true : text === 'false' ? false : text === 'null' ? null : text;
    return undefined;
  };

  return {
    peek,
    sees,
    advance,
    take,
    takes,
    pathHere,
    valueHere,
    atStart: () => next === 0,
    atEnd: () => next >= words.length,
  };
}

/** One function for each rule, the loosest first; null where a rule does not fit. */
function createReader(all: Word[], isVariable: (name: string) => boolean, stands: (name: string) => boolean) {
  const words = createWords(all);
  const { peek, sees, advance, takes, pathHere, valueHere, atStart, atEnd } = words;

  const either = (): Parsed => chain(() => chain(unary, 'both', '&&', 'and'), 'either', '||', 'or');

  const chain = (operand: () => Parsed, kind: 'both' | 'either', ...signs: string[]): Parsed => {
    let left = operand();
    while (left !== null && takes(...signs)) {
      const right = operand();
      left = right && { kind, left, right };
    }
    return left;
  };

  const unary = (): Parsed => {
    if (takes('!') || (sees('not') && !sees('contains', 1) && takes('not'))) {
      const operand = unary();
      return operand && { kind: 'not', operand };
    }
    if (takes('(')) {
      const inner = either();
      return takes(')') ? inner : null;
    }
    return plain();
  };

  const plain = (): Parsed => {
    const pair = `${peek().text} ${peek(1).text}`.toLowerCase();
    if (peek(1).kind === 'name' && Object.hasOwn(OUTCOMES, pair)) return outcome(pair, 2);
    if (pair === 'no issues') return skip(2, { kind: 'not', operand: { kind: 'issues' } });
    if (sees('issues') && peek(1).kind === 'end' && atStart()) return skip(1, { kind: 'issues' });
    if (sees('contains') || (sees('not') && sees('contains', 1))) return contains(null);
    if (peek().kind !== 'name') return null;
    const [word, after] = [peek().text.toLowerCase(), peek(1)];
    if (Object.hasOwn(OUTCOMES, word) && after.text !== '.' && !isComparison(after.text)) return outcome(word, 1);
    return about(peek().text);
  };

  const outcome = (words_: string, length: number): Parsed => {
    const of = ownOf(OUTCOMES, words_);
    return of === undefined ? null : skip(length, { kind: 'outcome', of, name: null });
  };

  const skip = (length: number, test: Test): Test => {
    advance(length);
    return test;
  };

  /** What is said of a variable. */
  const about = (name: string): Parsed => {
    advance(1);
    const path = pathHere();
    if (path === null) return null;
    const [field] = path;
    if (path.length === 1 && (field === 'passed' || field === 'failed')) return { kind: 'outcome', of: field, name };
    if (path.length === 0 && (sees('contains') || (sees('not') && sees('contains', 1)))) return contains(name);
    const operator = peek().text;
    if (peek().kind !== 'mark' || !isComparison(operator))
      return path.length === 0 && !isVariable(name)
        ? { kind: 'judged', text: name, name }
        : { kind: 'value', name, path };
    advance(1);
    const compared = comparedHere();
    return compared && { kind: 'compare', name, path, operator, ...compared };
  };

  const comparedHere = (): Pick<Test & { kind: 'compare' }, 'value' | 'isBare'> | null => {
    const { kind, text } = peek();
    if (kind === 'name' && stands(text)) return { value: { name: words.take() } };
    const value = valueHere();
    if (value === undefined) return null;
    return kind === 'name' && typeof value === 'string' && isVariable(text) ? { value, isBare: true } : { value };
  };

  /** `contains "x"`, or `contains` and words up to the next operator; `or` and `and` go on with texts: `"x" or "y"`. */
  const contains = (name: string | null): Parsed => {
    const negated = takes('not');
    advance(1);
    const quoted = peek().kind === 'text';
    let test: Parsed = mentionHere(words, name);
    const sign = ['or', 'and'].find((word) => sees(word));
    while (test !== null && sign !== undefined && sees(sign) && goesOn(words, quoted, isVariable)) {
      advance(1);
      const right: Parsed = mentionHere(words, name);
      test = right && { kind: sign === 'or' ? 'either' : 'both', left: test, right };
    }
    return negated && test !== null ? { kind: 'not', operand: test } : test;
  };

  return { either, atEnd };
}

/** A text in quotes, or words up to the next operator. */
function mentionHere({ peek, sees, take }: Words, name: string | null): Parsed {
  const said: string[] = [];
  if (peek().kind === 'text') said.push(take());
  else while (peek().kind !== 'end' && !['&&', '||', 'and', 'or', ')'].some((sign) => sees(sign))) said.push(take());
  return said.join('').trim() === '' ? null : { kind: 'mentions', name, text: said.join(' ').trim() };
}

/** Whether what stands behind `or` is one more text, and no test of its own. */
function goesOn({ peek, sees }: Words, quoted: boolean, isVariable: (name: string) => boolean): boolean {
  const { kind, text } = peek(1);
  if (kind !== 'name') return kind === 'text';
  const word = text.toLowerCase();
  const [after, second] = [peek(2), `${word} ${peek(2).text.toLowerCase()}`];
  if (after.text === '.' || after.text === '[' || isComparison(after.text) || sees('contains', 2)) return false;
  if (word === 'not' || word === 'contains' || isVariable(text) || second === 'no issues') return false;
  return !quoted || (!Object.hasOwn(OUTCOMES, word) && !Object.hasOwn(OUTCOMES, second));
}

function isComparison(text: string): text is Comparison {
  return ['==', '!=', '<', '<=', '>', '>='].includes(text);
}

/** Every test in a test. */
export function* testsIn(test: Test): Generator<Test> {
  yield test;
  if (test.kind === 'not') yield* testsIn(test.operand);
  if (test.kind === 'both' || test.kind === 'either') {
    yield* testsIn(test.left);
    yield* testsIn(test.right);
  }
}
