import type { Fix } from '../../problems/fix.js';
import type { Place } from '../../problems/problem.js';
import type { AgentCall, Ask, Comments, Mark, Name, Quoted } from './ast.js';
import type { Cursor } from './cursor.js';
import { parenthesisEnd } from './cursor.js';
import { seesCondition } from './parse-condition.js';
import { found } from './parse-definition.js';
import type { Token } from './tokens.js';

/** `name:"instruction":capture`; null when it is none, which is reported. */
export function parseAgentCall(cursor: Cursor): AgentCall | null {
  const { begin, peek, takes, seesWord, problem, at, name, sees, previous } = cursor;
  const comments = begin();
  const first = peek();
  const temporary = takes('$') !== null;
  if (!seesWord()) {
    problem({ code: 'unexpected-text', at: at(first), message: `Expected a name after \`$\`, got ${found(cursor)}.` });
    return null;
  }
  const agent = name();
  if (refuseForeign(cursor, agent.text, first)) return null;
  const owner = temporary ? `$${agent.text}` : agent.text;
  const instruction = sees(':') ? parseInstruction(cursor, owner) : parseGlued(cursor, owner);
  const capture = instruction === null ? null : parseCapture(cursor);
  return { kind: 'agent', temporary, name: agent, instruction, capture, at: at(first, previous()), comments };
}

/**
 * `@name`, with or without a question and a capture, or `@ask-human:"question":capture`; null when it is none, which is
 * reported.
 */
export function parseMarked(cursor: Cursor): Mark | Ask | null {
  const { begin, take, seesWord, problem, at, name, sees, peek, previous } = cursor;
  const comments = begin();
  const first = take();
  if (!seesWord()) {
    problem({ code: 'unexpected-text', at: at(first), message: `Expected a name after \`@\`, got ${found(cursor)}.` });
    return null;
  }
  const mark = name();
  if (mark.text === 'ask-human') return parseAsk(cursor, comments, first);
  const hasFallback = sees('(') && peek(1).raw === 'fallback' && !peek(2).spaced;
  if (!hasFallback && refuseForeign(cursor, `@${mark.text}`, first)) return null;
  const fallback = hasFallback ? parseFallback(cursor) : null;
  const question = sees(':') ? parseInstruction(cursor, `@${mark.text}`) : null;
  const capture = question === null ? null : parseCapture(cursor);
  return { kind: 'mark', name: mark, fallback, question, capture, at: at(first, previous()), comments };
}

/** `:"…"`; null when something else stands there. */
function parseInstruction(cursor: Cursor, owner: string): Quoted | null {
  const { take, peek, quoted, problem, at, atEnd, sees } = cursor;
  take();
  if (peek().kind === 'string') return quoted();
  const suggestion =
    peek().raw === "'" || peek().raw === '“'
      ? 'an instruction stands in double quotes: `"…"`'
      : `an instruction stands in double quotes: \`${owner}:"what to do"\``;
  const first = at(peek());
  problem({
    code: 'unexpected-text',
    at: first,
    message: `Expected an instruction in quotes after \`${owner}:\`, got ${found(cursor)}.`,
    suggestion,
    fix: inDoubleQuotes(first, 'single') ?? inDoubleQuotes(first, 'none'),
  });
  if (skipOtherQuotes(cursor)) parseCapture(cursor);
  else if (!atEnd() && !sees('->') && !sees('||') && !sees(']')) skipUnquoted(cursor);
  return null;
}

/** How a text may stand where one in double quotes is expected: of one line, without signs that mean something else. */
const WITHOUT_DOUBLE = {
  single: /^'([^'"\\\n]+)'(?=\s|:|$)/,
  none: /^([A-Za-z][\w ,.;?!/-]*?)(?=[ \t]*(?:->|\|\||~>|\]|\r?\n|$))/,
};

/** What stands at a place in double quotes, if it is a text; else null. */
function inDoubleQuotes(at: Place, quotes: keyof typeof WITHOUT_DOUBLE): Fix | null {
  const [written = '', text = ''] = WITHOUT_DOUBLE[quotes].exec(at.source.text.slice(at.start)) ?? [];
  return written === '' ? null : { at: { ...at, end: at.start + written.length }, text: `"${text}"` };
}

/** An instruction without its quotes goes as a whole, up to the next operator or line. */
function skipUnquoted({ take, atEnd, peek, sees }: Cursor): void {
  do take();
  while (!atEnd() && !peek().fresh && !STOPS.some((mark) => sees(mark)));
}

/** An instruction whose colon was forgotten; null when none stands here. */
function parseGlued({ peek, quoted, problem, at }: Cursor, owner: string): Quoted | null {
  if (peek().kind !== 'string' || peek().fresh) return null;
  const string = at(peek());
  const gap = /\s*$/.exec(string.source.text.slice(0, string.start))?.[0].length ?? 0;
  problem({
    code: 'unexpected-text',
    at: string,
    message: `Expected \`:\` between \`${owner}\` and its instruction.`,
    suggestion: `a colon stands between them: \`${owner}:"…"\``,
    fix: { at: { ...string, start: string.start - gap, end: string.start }, text: ':' },
  });
  return quoted();
}

/** `:var` after an instruction. */
function parseCapture(cursor: Cursor): Name | null {
  const { takes, seesWord, name, problem, at, peek, previous, take } = cursor;
  if (peek().raw === 'as' && !peek().fresh && seesWord(1) && !peek(1).fresh) {
    const string = previous();
    const word = take();
    const variable = name();
    const suggestion = `write \`:${variable.text}\``;
    const fix = { at: { ...variable.at, start: at(string).end, end: variable.at.end }, text: `:${variable.text}` };
    const message = `Expected \`:\` between an instruction and the name of its output, got \`as\`.`;
    problem({ code: 'unexpected-text', at: at(word), message, suggestion, fix });
    return variable;
  }
  if (takes(':') === null) return null;
  if (seesWord()) return checkCapture(name(), problem);
  problem({
    code: 'unexpected-text',
    at: at(peek()),
    message: `Expected the name of a variable after \`:\`, got ${found(cursor)}.`,
    suggestion: 'a variable stands behind an instruction: `agent:"instruction":name`',
  });
  return null;
}

/** A name that begins with a digit stands in no `{…}`: nothing could read it. */
function checkCapture(captured: Name, problem: Cursor['problem']): Name {
  if (/^[0-9]/.test(captured.text))
    problem({
      code: 'invalid-name',
      at: captured.at,
      message: `Expected a name that begins with a letter or \`_\`, got \`${captured.text}\`.`,
      suggestion: `write \`_${captured.text}\``,
    });
  return captured;
}

/** `(fallback=skip)`. */
function parseFallback({ take, seesWord, peek, name, takes, problem, at, atEnd }: Cursor): Name | null {
  const open = take();
  take();
  const sign = take();
  const value = (sign.raw === '=' || sign.raw === ':') && (seesWord() || peek().kind === 'string') ? name() : null;
  if (value !== null && takes(')') !== null) return value;
  problem({
    code: 'unexpected-text',
    at: at(open),
    message: 'Expected `(fallback=skip)`, `(fallback=abort)` or `(fallback=approve)`.',
  });
  while (!atEnd() && takes(')') === null && !peek().fresh) take();
  return value;
}

function parseAsk(cursor: Cursor, comments: Comments, first: Token): Ask | null {
  const { sees, problem, at, previous } = cursor;
  const hasQuestion = sees(':');
  const question = hasQuestion ? parseInstruction(cursor, '@ask-human') : null;
  const capture = question === null ? null : parseCapture(cursor);
  if (question !== null && capture !== null)
    return { kind: 'ask', question, capture, at: at(first, previous()), comments };
  if (question !== null || !hasQuestion) {
    problem({
      code: 'unexpected-text',
      at: at(first, previous()),
      message: 'Expected a question and a name for the answer after `@ask-human`.',
      suggestion: 'a question is asked by `@ask-human:"What is to be done?":answer`',
    });
  }
  return null;
}

const CALLED_WITH_NAMES = ['tool', 'mcp', '@call'];
const SUGGESTIONS = new Map([
  ['route', 'capture what decides, and branch on it: `(if name contains "x")~> …`'],
  ['@schedule', 'a workflow with `schedule:` may run the flow as a step of it'],
  ['tool', 'a workflow runs programs (`command: [npm, test]`), and flows as its steps; or ask an agent to run it'],
  ['mcp', 'give an agent the tools of that server, and ask it'],
  ['@call', 'a workflow may run flows as its steps: `workflow: name`'],
  ['retry-with-backoff', 'calls are tried again by themselves; a loop is `@try -> … (if failed)~> @try`'],
]);

/** Kinds of definitions that other versions of the language had: `loop again(3): …`. */
const KINDS = ['operator', 'action', 'loop', 'condition', 'aggregator', 'guard'];

/** What other versions of the language had (`route(…)`, `tool:…`), by name; its arguments go with it. */
function refuseForeign(cursor: Cursor, word: string, first: Token): boolean {
  const { sees, seesWord, peek, problem, at, previous, name } = cursor;
  if (KINDS.includes(word) && first.fresh && seesWord() && !peek().fresh) {
    const message = `This version knows no definition of \`${word} ${name().text}\`.`;
    problem({ code: 'unsupported-key', at: at(first, previous()), message });
    skipArguments(cursor);
    return true;
  }
  const called = sees('(') && !peek().spaced && !opensCondition(cursor);
  const namespaced = sees(':') && seesWord(1) && !peek(1).spaced && (sees(':', 2) || CALLED_WITH_NAMES.includes(word));
  if (!called && !namespaced) return false;
  problem({
    code: 'unsupported-key',
    at: at(first, previous()),
    message: `This version does not run \`${word}${called ? '(…)' : ':…'}\`.`,
    suggestion: SUGGESTIONS.get(word) ?? callHint(cursor, word),
  });
  skipArguments(cursor);
  return true;
}

/** How an agent is called, where it was called as functions are elsewhere: `explore("…")`. */
function callHint({ sees, peek }: Cursor, word: string): string | null {
  return sees('(') && peek(1).kind === 'string' ? `write \`${word}:"…"\`` : null;
}

/** All up to the next operator outside of brackets. */
function skipArguments(cursor: Cursor): void {
  const { peek, take, atEnd } = cursor;
  for (let depth = 0; !atEnd() && (depth > 0 || !endsArguments(cursor));) {
    const { kind, raw } = peek();
    if (kind === 'mark') depth += raw === '[' || raw === '(' ? 1 : raw === ']' || raw === ')' ? -1 : 0;
    take();
  }
}

function endsArguments({ sees, peek, seesWord, previous }: Cursor): boolean {
  if (['->', '||', ']', '~>'].some((mark) => sees(mark))) return true;
  const startsStep = peek().fresh && (seesWord() || sees('$') || sees('@'));
  return startsStep && previous().raw !== '>' && previous().raw !== ':';
}

/** Tells whether the parenthesis here holds a condition, whose arrow stands behind it. */
function opensCondition(cursor: Cursor): boolean {
  const { peek, sees } = cursor;
  if (/^if$/i.test(peek(1).raw)) return true;
  const end = parenthesisEnd(cursor, 64);
  return sees('~>', end + 1) || (sees(':', end + 1) && sees('~>', end + 3));
}

/** Reports what stands where a step should, and leaves it behind. */
export function reportNoStep(cursor: Cursor): void {
  const { sees, problem, at, peek, atEnd, previous } = cursor;
  const message = `Expected a step, got ${found(cursor)}.`;
  if (sees('->') || sees('||'))
    problem({
      code: 'dangling-operator',
      at: at(peek()),
      message: `Expected a step before \`${peek().raw}\`, got nothing.`,
    });
  else if (seesCondition(cursor))
    problem({
      code: 'unexpected-text',
      at: at(peek()),
      message,
      suggestion: 'put a condition and what follows it in brackets: `[(if passed)~> …]`',
    });
  else if (!atEnd() && !sees(']') && !sees(')') && !sees('}')) {
    problem({ code: 'unexpected-text', at: at(peek()), message, suggestion: hintFor(peek()) });
    skipJunk(cursor);
  } else if (!atEnd() || previous().kind === 'mark')
    problem({ code: 'missing-step', at: at(atEnd() ? previous() : peek()), message });
}

const OTHER_QUOTES: Record<string, string> = { "'": "'", '“': '”', '`': '`' };

/** A text in quotes that are none here goes as a whole; false when there is none. */
function skipOtherQuotes({ peek, take }: Cursor): boolean {
  const close = OTHER_QUOTES[peek().raw];
  if (close === undefined) return false;
  let length = 1;
  while (length < 400 && peek(length).kind !== 'end' && peek(length).raw !== close) length++;
  if (peek(length).raw !== close) return false;
  for (let taken = 0; taken <= length; taken++) take();
  return true;
}

const STOPS = ['->', '||', '~>', ']', '('];
const SAFE = ['[', ']', '->', '||', '~>', '(', '@', '$'];

/** What cannot be read goes as a whole, so that it is one problem. */
function skipJunk({ take, atEnd, peek, sees, seesWord }: Cursor): void {
  do take();
  while (!atEnd() && !peek().fresh && !SAFE.some((mark) => sees(mark)) && !seesWord());
}

const HINTS: Record<string, string> = {
  '→': 'write `->`',
  '⇒': 'write `->`',
  '|': 'write `||` for steps that run at once',
  '-': 'write `->`',
  '~': 'write `~>`',
  '=': 'a definition is written `$name := {…}`',
  ':=': 'a definition is written `$name := {…}`',
  '{': 'a definition is written `$name := {…}`',
  '“': 'texts stand in straight double quotes: `"…"`',
  "'": 'texts stand in double quotes: `"…"`',
};

function hintFor({ raw, kind }: Token): string | null {
  if (kind === 'string') return 'an instruction follows the name of its agent: `general-purpose:"…"`';
  return Object.hasOwn(HINTS, raw) ? (HINTS[raw] ?? null) : null;
}
