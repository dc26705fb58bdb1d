import type { Constant, Definition, DefinitionBlock, Entry, Quoted, Value } from './ast.js';
import type { Cursor } from './cursor.js';

/** Tells whether `$name :=` or `@define-agents {` starts here. */
export function seesDefinition({ sees, seesWord, peek }: Cursor): boolean {
  if (sees('@') && seesWord(1)) return peek(1).raw === 'define-agents' && !sees(':', 2);
  return sees('$') && seesWord(1) && (sees(':=', 2) || signLength({ sees, peek }) > 0);
}

/**
 * How many tokens stand in the place of `:=` before a brace (`=`, `:`, `: =`, `=>`, or none but the brace itself); 0
 * when no definition starts here.
 */
function signLength({ sees, peek }: Pick<Cursor, 'sees' | 'peek'>): number {
  const length = [2, 3, 4].find((ahead) => sees('{', ahead));
  if (length === undefined) return 0;
  const between = [2, 3]
    .slice(0, length - 2)
    .map((ahead) => peek(ahead).raw)
    .join('');
  return ['', '=', ':', ':=', '=>', '=:', '::', '=='].includes(between) ? length - 1 : 0;
}

/** One definition, a block of them, or a text with a name. */
export function parseDefinition(cursor: Cursor): Constant | Definition | DefinitionBlock {
  const { begin, take, name, sees } = cursor;
  const comments = begin();
  if (sees('@')) {
    take();
    take();
    return { kind: 'block', agents: parseBlock(cursor), comments };
  }
  const length = signLength(cursor);
  take();
  const defined = name();
  if (cursor.takes(':=') === null) {
    cursor.problem({
      code: 'unexpected-text',
      at: cursor.at(cursor.peek()),
      message: `Expected \`:=\` after \`$${defined.text}\`, got ${found(cursor)}.`,
      suggestion: `a definition is written \`$${defined.text} := {…}\``,
    });
    for (let skipped = 1; skipped < length; skipped++) take();
  }
  if (cursor.peek().kind === 'string') return { kind: 'constant', name: defined, value: cursor.quoted(), comments };
  return { kind: 'definition', name: defined, entries: parseEntries(cursor, `$${defined.text} :=`), comments };
}

function parseBlock(cursor: Cursor): Definition[] {
  const { takes, problem, at, peek, atEnd, seesWord, begin, take } = cursor;
  const agents: Definition[] = [];
  const open = takes('{');
  if (open === null)
    problem({
      code: 'unexpected-text',
      at: at(peek()),
      message: `Expected \`{\` after \`@define-agents\`, got ${found(cursor)}.`,
    });
  else {
    let closed = false;
    while (!atEnd()) {
      closed = takes('}') !== null;
      if (closed) break;
      if (takes(',') !== null) continue;
      if (!seesWord() && peek().kind !== 'string' && !cursor.sees('$')) {
        problem({
          code: 'unexpected-text',
          at: at(peek()),
          message: `Expected the name of an agent or \`}\`, got ${found(cursor)}.`,
        });
        if (cursor.sees('[') || cursor.sees('->')) break;
        take();
        continue;
      }
      const comments = begin();
      takes('$');
      const defined = cursor.name();
      if (takes(':') === null && takes(':=') === null)
        problem({
          code: 'unexpected-text',
          at: at(peek()),
          message: `Expected \`:\` after \`${defined.text}\`, got ${found(cursor)}.`,
        });
      agents.push({ kind: 'definition', name: defined, entries: parseEntries(cursor, `${defined.text}:`), comments });
    }
    if (!closed) problem({ code: 'unbalanced-bracket', at: at(open), message: 'Expected `}` for this `{`.' });
  }
  return agents;
}

/** `{ key: value, … }`. Commas may be left out where a new line stands. */
function parseEntries(cursor: Cursor, before: string): Entry[] {
  const { takes, problem, at, peek, atEnd, seesWord } = cursor;
  const entries: Entry[] = [];
  const open = takes('{');
  if (open === null) {
    const suggestion = 'a definition is `{base: "general-purpose", prompt: "…"}`';
    problem({
      code: 'unexpected-text',
      at: at(peek()),
      message: `Expected \`{\` after \`${before}\`, got ${found(cursor)}.`,
      suggestion,
    });
    // What is in its place belongs to the definition, not to the flow.
    if (peek().kind === 'string' || (seesWord() && !peek().fresh)) cursor.take();
    return entries;
  }
  for (let separated = true; ;) {
    if (takes('}') !== null) return entries;
    if (takes(',') !== null) {
      separated = true;
      continue;
    }
    if (atEnd() || isOutside(cursor)) break;
    if (!separated && !peek().fresh)
      problem({ code: 'unexpected-text', at: at(peek()), message: `Expected \`,\` or \`}\`, got ${found(cursor)}.` });
    const entry = parseEntry(cursor);
    if (entry !== null) entries.push(entry);
    separated = false;
  }
  problem({ code: 'unbalanced-bracket', at: at(open), message: 'Expected `}` for this `{`.' });
  return entries;
}

/** What stands in no definition: its brace was forgotten. */
function isOutside({ sees }: Cursor): boolean {
  return sees('->') || sees('||') || (sees('$') && sees(':=', 2));
}

function parseEntry(cursor: Cursor): Entry | null {
  const { begin, problem, at, peek, takes, seesWord, take } = cursor;
  if (!seesWord() && peek().kind !== 'string') {
    problem({
      code: 'unexpected-text',
      at: at(peek()),
      message: `Expected a key such as \`base\`, \`prompt\` or \`model\`, got ${found(cursor)}.`,
    });
    take();
    return null;
  }
  const comments = begin();
  const key = cursor.name();
  if (takes(':') === null) {
    problem({
      code: 'unexpected-text',
      at: at(peek()),
      message: `Expected \`:\` after \`${key.text}\`, got ${found(cursor)}.`,
    });
    return null;
  }
  const value = parseValue(cursor, key.text);
  return value === null ? { key, value: [], faulty: true, comments } : { key, value, comments };
}

function parseValue(cursor: Cursor, key: string): Value | null {
  const { sees, takes, atEnd, at, problem } = cursor;
  const open = takes('[');
  if (open === null) return parseText(cursor, key);
  const items: Quoted[] = [];
  while (!atEnd() && !sees(']') && !sees('}')) {
    if (takes(',') !== null) continue;
    const item = parseText(cursor, key);
    if (item === null) break;
    items.push(item);
  }
  if (takes(']') === null) problem({ code: 'unbalanced-bracket', at: at(open), message: 'Expected `]` for this `[`.' });
  return items;
}

/** A text in quotes; a bare word or number is taken for one. */
function parseText(cursor: Cursor, key: string): Quoted | null {
  const { peek, take, at, problem, quoted } = cursor;
  if (peek().kind === 'string') return quoted();
  const first = peek();
  if (first.kind === 'word') {
    let last = take();
    let raw = last.raw;
    while (!peek().spaced && (peek().kind === 'word' || peek().raw === '.')) {
      last = take();
      raw += last.raw;
    }
    const place = at(first, last);
    return { raw, at: place, placeOf: () => place };
  }
  const suggestion = first.raw === "'" || first.raw === '“' ? 'texts stand in double quotes: `"…"`' : null;
  problem({
    code: 'unexpected-text',
    at: at(first),
    message: `Expected a text in quotes for \`${key}\`, got ${found(cursor)}.`,
    suggestion,
  });
  // The rest of the value, so that it is one problem.
  while (
    !cursor.atEnd() &&
    !cursor.sees(',') &&
    !cursor.sees('}') &&
    !cursor.sees(']') &&
    !(peek().fresh && peek() !== first)
  )
    take();
  return null;
}

/** What stands here, as messages show it. */
export function found({ peek }: Pick<Cursor, 'peek'>): string {
  const { kind, raw } = peek();
  if (kind === 'end') return 'the end of the flow';
  if (kind === 'string') return 'a text in quotes';
  return `\`${raw}\``;
}
