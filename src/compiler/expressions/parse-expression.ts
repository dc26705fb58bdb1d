import type { BinaryOperator, Expression, FunctionName } from '../../plan/values/expression.js';
import { BINARY_OPERATORS, FUNCTION_ARITY } from '../../plan/values/expression.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { Flaw, Mark, Token } from './tokens.js';

/** A reference as it is written. */
export interface WrittenReference {
  path: [string, ...(string | number)[]];
  source: string;
  start: number;
  length: number;
}

/** What a place allows in its `${…}`, and what its names mean. */
export interface Grammar {
  /** Operators and functions; elsewhere only references, literals and `??`. */
  operators: boolean;
  /** What a reference means; null when it was reported as a problem. */
  resolve: (reference: WrittenReference) => Expression | null;
}

export interface ExpressionFlaw extends Flaw {
  code: 'invalid-template' | 'operator-not-allowed';
}

const LEVELS: readonly (readonly BinaryOperator[])[] = [['||'], ['&&'], ['==', '!='], ['<', '<=', '>', '>=']];
/** What other languages write, and what is written here. */
const HERE = new Map([
  ['and', 'write `&&`'],
  ['or', 'write `||`'],
  ['is', 'write `==`'],
  ['not', 'write `!`'],
]);
const WORDS = { true: true, false: false, null: null } as const;

/**
 * Parses the tokens of one `${…}`; the last one closes it. `??` binds loosest and chains to the right, then `||`,
 * `&&`, equality, order, `!`. Null when a reference in it was reported already.
 */
export function parseExpression(
  tokens: Token[],
  text: string,
  grammar: Grammar,
): { expression: Expression | null } | ExpressionFlaw {
  try {
    const cursor = createCursor(tokens, text, grammar);
    const expression = createDescent(cursor, text, grammar).coalesce();
    cursor.expect('}');
    return { expression };
  } catch (error) {
    if (error instanceof Stop) return error.flaw;
    throw error;
  }
}

/** Leaves the descent at the first flaw; never leaves this file. */
class Stop extends Error {
  flaw: ExpressionFlaw;
  constructor(flaw: ExpressionFlaw) {
    super(flaw.message);
    this.flaw = flaw;
  }
}

type Parsed = Expression | null;

type Cursor = ReturnType<typeof createCursor>;

/** Where the parser stands among the tokens. */
function createCursor(tokens: Token[], text: string, { operators }: Grammar) {
  let next = 0;

  const peek = (): Token => tokens[next] ?? { kind: 'end', start: text.length, length: 1 };
  const sees = (mark: Mark): boolean => {
    const token = peek();
    return token.kind === 'mark' && token.mark === mark;
  };
  const takes = (mark: Mark): boolean => {
    if (!sees(mark)) return false;
    next++;
    return true;
  };
  const fail = (message: string, token = peek(), suggestion: string | null = null): never => {
    throw new Stop({ code: 'invalid-template', start: token.start, length: token.length, message, suggestion });
  };
  const found = (): string => text.slice(peek().start, peek().start + peek().length);
  const expect = (mark: Mark): void => {
    if (!takes(mark))
      fail(`Expected \`${mark}\`, got \`${found()}\`.`, peek(), operators ? (HERE.get(found()) ?? null) : null);
  };
  const skip = (): void => {
    next++;
  };
  const field = (): string => {
    const token = peek();
    if (token.kind !== 'name')
      return fail(`Expected a name after \`.\`, got \`${found()}\`; a position is written \`[0]\`.`);
    next++;
    return token.name;
  };
  const position = (): string | number => {
    const token = peek();
    if (token.kind !== 'literal' || (typeof token.value === 'number' && !Number.isInteger(token.value))) {
      return fail(`Expected a whole number or a quoted name between \`[\` and \`]\`, got \`${found()}\`.`);
    }
    next++;
    expect(']');
    return token.value;
  };
  /** Where the token before ends. */
  const end = (): number => {
    const last = tokens[next - 1];
    return last === undefined ? 0 : last.start + last.length;
  };
  return { peek, sees, takes, fail, found, expect, skip, field, position, end, atStart: () => next === 0 };
}

/** One function for each rule of the grammar, the loosest first. */
function createDescent(cursor: Cursor, text: string, grammar: Grammar) {
  const { peek, sees, takes, fail, found, expect, skip } = cursor;

  const needsOperators = (token: Token): void => {
    if (grammar.operators) return;
    const message =
      'Operators and functions are for `when`, `until` and `set`; here stands a reference, with `??` for what ' +
      'may be missing.';
    throw new Stop({ code: 'operator-not-allowed', start: token.start, length: token.length, message });
  };

  const coalesce = (): Parsed => {
    const operands = [level(0)];
    while (takes('??')) operands.push(level(0));
    return operands.reduceRight((right, left) => left && right && { kind: 'coalesce', left, right });
  };

  const level = (depth: number): Parsed => {
    const operators = LEVELS[depth];
    if (operators === undefined) return unary();
    let left = level(depth + 1);
    for (let operator = operatorOf(peek(), operators); operator !== null; operator = operatorOf(peek(), operators)) {
      needsOperators(peek());
      skip();
      const right = level(depth + 1);
      left = left && right && { kind: 'binary', operator, left, right };
    }
    return left;
  };

  const unary = (): Parsed => {
    const token = peek();
    if (takes('!')) {
      needsOperators(token);
      const operand = unary();
      return operand && { kind: 'not', operand };
    }
    if (takes('(')) {
      needsOperators(token);
      const inner = coalesce();
      expect(')');
      return inner;
    }
    return operand();
  };

  const operand = (): Parsed => {
    const token = peek();
    if (token.kind === 'literal') {
      skip();
      return { kind: 'literal', value: token.value };
    }
    if (token.kind !== 'name')
      return fail(
        sees('}') && cursor.atStart()
          ? 'Expected a name between `${` and `}`.'
          : `Expected a name or a value, got \`${found()}\`.`,
      );
    skip();
    if (Object.hasOwn(WORDS, token.name)) return { kind: 'literal', value: WORDS[token.name as keyof typeof WORDS] };
    return sees('(') ? call(token.name, token) : reference(token.name, token.start);
  };

  const call = (name: string, token: Token): Parsed => {
    needsOperators(token);
    if (!isFunction(name)) {
      const suggestion =
        didYouMean(name, Object.keys(FUNCTION_ARITY)) ?? `there are ${Object.keys(FUNCTION_ARITY).join(', ')}`;
      throw new Stop({
        code: 'invalid-template',
        start: token.start,
        length: token.length,
        message: `There is no function \`${name}\`.`,
        suggestion,
      });
    }
    expect('(');
    const operands: Parsed[] = sees(')') ? [] : [coalesce()];
    while (takes(',')) operands.push(coalesce());
    expect(')');
    const arity = FUNCTION_ARITY[name];
    if (operands.length !== arity) fail(`Expected ${arity} values in \`${name}(…)\`, got ${operands.length}.`, token);
    return operands.every((operand) => operand !== null) ? { kind: 'call', name, operands } : null;
  };

  const reference = (name: string, start: number): Parsed => {
    const path: WrittenReference['path'] = [name];
    for (;;) {
      if (takes('.')) path.push(cursor.field());
      else if (takes('[')) path.push(cursor.position());
      else break;
    }
    const length = cursor.end() - start;
    return grammar.resolve({ path, source: text.slice(start, start + length), start, length });
  };

  return { coalesce };
}

function operatorOf(token: Token, operators: readonly BinaryOperator[]): BinaryOperator | null {
  if (token.kind !== 'mark') return null;
  const operator = BINARY_OPERATORS.find((candidate) => candidate === token.mark);
  return operator !== undefined && operators.includes(operator) ? operator : null;
}

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTION_ARITY, name);
}
