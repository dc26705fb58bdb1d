/** A condition or a value in the manner of Jinja and Python. */
export type Jinja =
  | { kind: 'literal'; value: string | number | boolean | null }
  | { kind: 'path'; parts: (string | number)[]; start: number; end: number }
  | { kind: 'not'; operand: Jinja }
  | { kind: 'binary'; operator: string; left: Jinja; right: Jinja }
  | { kind: 'call'; name: 'contains' | 'startsWith' | 'endsWith' | 'length' | 'lower'; operands: Jinja[] }
  | { kind: 'default'; operand: Jinja; otherwise: Jinja }
  | { kind: 'defined'; operand: Jinja };

/** What cannot be read, where, and what it is. */
export class JinjaFault extends Error {
  readonly start: number;
  readonly end: number;

  constructor(start: number, end: number, message: string) {
    super(message);
    this.start = start;
    this.end = end;
  }
}

interface Token {
  kind: 'name' | 'number' | 'text' | 'mark' | 'end';
  text: string;
  start: number;
  end: number;
}

const TOKEN =
  /\s+|([A-Za-z_]\w*)|(-?\d+(?:\.\d+)?)|('(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*")|([=!<>]=|[-+*/%~<>()[\].,|{}:=])/y;
const DEEPEST = 40;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const start = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) throw new JinjaFault(start, start + 1, `\`${text.slice(start, start + 12)}\` cannot be read`);
    const [whole, name, number, quoted, mark] = found;
    const end = start + whole.length;
    if (name !== undefined) tokens.push({ kind: 'name', text: name, start, end });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, start, end });
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: unquoted(quoted), start, end });
    else if (mark !== undefined) tokens.push({ kind: 'mark', text: mark, start, end });
  }
  return [...tokens, { kind: 'end', text: '', start: text.length, end: text.length }];
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\([^])/g, (_, sign: string) => ESCAPES[sign] ?? sign);
}

const WORDS: Record<string, string | number | boolean | null> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  null: null,
};

/** Reads an expression; throws a `JinjaFault` where it is none that can be carried over. Its depth is bounded. */
export function parseJinja(text: string): Jinja {
  const cursor = createCursor(tokensOf(text), text);
  const value = either(cursor);
  if (cursor.peek().kind !== 'end') cursor.fail();
  return value;
}

type Cursor = ReturnType<typeof createCursor>;

/** Where an expression is read. */
function createCursor(tokens: Token[], text: string) {
  let at = 0;
  let depth = 0;
  const end: Token = { kind: 'end', text: '', start: text.length, end: text.length };
  const cursor = {
    peek: (): Token => tokens[at] ?? end,
    next: (): Token => tokens[at++] ?? end,
    is: (word: string, ahead = 0): boolean => {
      const token = tokens[at + ahead];
      return token !== undefined && token.kind !== 'text' && token.text === word;
    },
    take: (word: string): boolean => {
      const found = cursor.is(word);
      if (found) at += 1;
      return found;
    },
    expect: (word: string): void => {
      if (!cursor.take(word)) cursor.fail(`stands where \`${word}\` is expected`);
    },
    fail: (what = 'cannot be carried over'): never => {
      const { start, end: behind, kind, text: found } = cursor.peek();
      const why = kind === 'end' ? 'it ends too early' : `\`${found}\` ${what}`;
      throw new JinjaFault(start, Math.max(behind, start + 1), why);
    },
    nested: <T>(work: () => T): T => {
      depth += 1;
      if (depth > DEEPEST) cursor.fail('stands too deep');
      const value = work();
      depth -= 1;
      return value;
    },
  };
  return cursor;
}

function either(cursor: Cursor): Jinja {
  let left = both(cursor);
  while (cursor.take('or')) left = { kind: 'binary', operator: '||', left, right: both(cursor) };
  return left;
}

function both(cursor: Cursor): Jinja {
  let left = negated(cursor);
  while (cursor.take('and')) left = { kind: 'binary', operator: '&&', left, right: negated(cursor) };
  return left;
}

function negated(cursor: Cursor): Jinja {
  if (!cursor.take('not')) return compared(cursor);
  return { kind: 'not', operand: cursor.nested(() => negated(cursor)) };
}

function compared(cursor: Cursor): Jinja {
  const left = filtered(cursor);
  const { text: operator, kind } = cursor.peek();
  if (kind === 'mark' && ['==', '!=', '<', '<=', '>', '>='].includes(operator)) {
    cursor.next();
    return { kind: 'binary', operator, left, right: filtered(cursor) };
  }
  const isAbsent = cursor.is('not') && cursor.is('in', 1);
  if (isAbsent) cursor.next();
  if (cursor.take('in')) {
    const contains: Jinja = { kind: 'call', name: 'contains', operands: [filtered(cursor), left] };
    return isAbsent ? { kind: 'not', operand: contains } : contains;
  }
  return cursor.take('is') ? tested(left, cursor) : left;
}

function tested(operand: Jinja, cursor: Cursor): Jinja {
  const isNegated = cursor.take('not');
  const isThere = cursor.take('defined');
  if (!isThere && !['none', 'None', 'undefined'].some((word) => cursor.take(word)))
    return cursor.fail('cannot be tested for');
  const defined: Jinja = { kind: 'defined', operand };
  return isThere !== isNegated ? defined : { kind: 'not', operand: defined };
}

function filtered(cursor: Cursor): Jinja {
  let value = primary(cursor);
  while (cursor.take('|')) value = filteredBy(value, cursor);
  return value;
}

function filteredBy(value: Jinja, cursor: Cursor): Jinja {
  const { text: name, kind } = cursor.peek();
  if (kind !== 'name') return cursor.fail('is no filter');
  switch (name) {
    case 'default':
    case 'd':
      cursor.next();
      return { kind: 'default', operand: value, otherwise: otherwiseOf(cursor) };
    case 'length':
    case 'count':
      cursor.next();
      return { kind: 'call', name: 'length', operands: [value] };
    case 'lower':
      cursor.next();
      return { kind: 'call', name: 'lower', operands: [value] };
    case 'json':
    case 'tojson':
    case 'string':
    case 'safe':
      cursor.next();
      if (cursor.take('(')) skipArguments(cursor);
      return value;
    default:
      return cursor.fail('is a filter that cannot be carried over');
  }
}

function otherwiseOf(cursor: Cursor): Jinja {
  if (!cursor.take('(')) return { kind: 'literal', value: '' };
  const otherwise = cursor.nested(() => either(cursor));
  if (cursor.take(',')) either(cursor);
  cursor.expect(')');
  return otherwise;
}

function skipArguments(cursor: Cursor): void {
  while (!cursor.take(')')) {
    if (cursor.peek().kind === 'end') cursor.fail();
    cursor.next();
  }
}

function primary(cursor: Cursor): Jinja {
  const { kind, text } = cursor.peek();
  if (kind === 'mark' && text === '(') {
    cursor.next();
    const value = cursor.nested(() => either(cursor));
    cursor.expect(')');
    return value;
  }
  if (kind === 'mark' || kind === 'end') return cursor.fail();
  const token = cursor.next();
  if (kind === 'text') return { kind: 'literal', value: text };
  if (kind === 'number') return { kind: 'literal', value: Number(text) };
  return Object.hasOwn(WORDS, text) ? { kind: 'literal', value: WORDS[text] ?? null } : pathFrom(token, cursor);
}

function pathFrom({ text: name, start, end }: Token, cursor: Cursor): Jinja {
  const path: Jinja = { kind: 'path', parts: [name], start, end };
  for (;;) {
    if (cursor.take('.')) {
      if (cursor.peek().kind !== 'name') return cursor.fail();
      const { text: part, end: behind } = cursor.next();
      if (cursor.is('(')) return methodOf(path, part, cursor);
      path.parts.push(part);
      path.end = behind;
    } else if (cursor.take('[')) {
      const { text: part, kind } = cursor.peek();
      if (kind !== 'text' && kind !== 'number') return cursor.fail('cannot stand in brackets');
      cursor.next();
      path.parts.push(kind === 'number' ? Number(part) : part);
      path.end = cursor.peek().end;
      cursor.expect(']');
    } else return path;
  }
}

const METHODS = { startswith: 'startsWith', endswith: 'endsWith', lower: 'lower' } as const;

function methodOf(operand: Jinja, name: string, cursor: Cursor): Jinja {
  if (name !== 'startswith' && name !== 'endswith' && name !== 'lower')
    return cursor.fail(`cannot be called here: \`${name}\` is not carried over`);
  cursor.expect('(');
  const operands = name === 'lower' ? [] : [cursor.nested(() => either(cursor))];
  cursor.expect(')');
  return { kind: 'call', name: METHODS[name], operands: [operand, ...operands] };
}
