import type { Place, Report } from '../../problems/problem.js';
import type { Conditional, FlowExpression, FlowTree, Group } from './ast.js';
import { noComments } from './ast.js';
import type { Cursor, PlaceOf } from './cursor.js';
import { createCursor } from './cursor.js';
import { checkElse, holdsSteps, parseCondition, seesCondition } from './parse-condition.js';
import { found, parseDefinition, seesDefinition } from './parse-definition.js';
import { parseAgentCall, parseMarked, reportNoStep } from './parse-step.js';
import type { Token } from './tokens.js';
import { scanFlow } from './tokens.js';

/** Brackets and conditions inside each other. */
const MAX_DEPTH = 64;

/**
 * Parses the text of a flow. Whatever is wrong is reported, all of it at once; what is sound of it is returned. Where
 * quotes do not pair up nothing is: what is inside them and what is not cannot be told apart.
 */
export function parseFlow(text: string, placeOf: PlaceOf, report: Report): FlowTree {
  const { tokens, open } = scanFlow(text);
  for (const { start, end } of open) {
    report({
      code: 'unterminated-text',
      at: placeOf(start, end),
      message: 'Expected `"` at both ends of a text; here is one without its partner.',
      suggestion: 'a `"` inside a text is written `\\"`',
    });
  }
  if (open.length > 0) return { definitions: [], body: null, comments: [], note: null };
  let isRefused = false;
  let isFaulty = false;
  const cursor = createCursor(tokens, placeOf, (finding) => {
    isRefused ||= finding.code === 'unsupported-key';
    isFaulty ||= finding.severity !== 'warning';
    report(finding);
  });
  const definitions: FlowTree['definitions'] = [];
  const { bodies, note } = parseSections(cursor, definitions);
  const [only] = bodies;
  const defines = definitions.length > 0;
  // Where steps were meant, and cannot be read, there is not nothing.
  if (only === undefined && !isRefused && (defines || !isFaulty)) reportEmpty(cursor, defines, placeOf(0, 1));
  return {
    definitions,
    body: bodies.length > 1 ? { kind: 'sequence', items: bodies } : (only ?? null),
    comments: cursor.rest(),
    note,
  };
}

function reportEmpty({ problem, at, peek }: Cursor, defines: boolean, start: Place): void {
  if (defines)
    problem({
      code: 'missing-key',
      at: at(peek()),
      message: 'Expected steps after the definitions, got the end of the flow.',
    });
  else
    problem({
      code: 'empty-file',
      at: start,
      message: 'Expected steps with arrows between them, got nothing.',
      suggestion: 'a flow is `explore:"Find the entry point":entry -> general-purpose:"Explain {entry}"`',
    });
}

/** All up to the end or to a note; more than one body only where nothing joins them, which is reported. */
function parseSections(
  cursor: Cursor,
  definitions: FlowTree['definitions'],
): { bodies: FlowExpression[]; note: number | null } {
  const bodies: FlowExpression[] = [];
  const descent = createDescent(cursor, definitions);
  let goesOn = false;
  let defined = false;
  while (!cursor.atEnd()) {
    if (bodies.length > 0 && seesNote(cursor)) return { bodies, note: skipNote(cursor) };
    if (skipHeading(cursor)) continue;
    if (seesDefinition(cursor)) {
      definitions.push(parseDefinition(cursor));
      defined = true;
      continue;
    }
    if (bodies.length > 0 && !goesOn && !(defined && goesOnBehindDefinition(cursor))) reportJoint(cursor);
    defined = false;
    const body = descent.chain(0);
    if (body !== null) bodies.push(body);
    goesOn = skipStray(cursor);
  }
  return { bodies, note: null };
}

/** Takes the `->` that goes on behind definitions between two steps; false when nothing goes on. */
function goesOnBehindDefinition(cursor: Cursor): boolean {
  if (seesCondition(cursor)) return true;
  if (!cursor.sees('->')) return false;
  isDangling(cursor, cursor.take());
  return true;
}

/** Tells whether a line `---` here, behind the flow, begins a note: nothing behind it is a part of the flow. */
function seesNote(cursor: Cursor): boolean {
  const { peek } = cursor;
  if (peek().kind !== 'rule') return false;
  let ahead = 1;
  while (peek(ahead).kind === 'rule') ahead++;
  if (peek(ahead).kind === 'end') return false;
  for (; peek(ahead).kind !== 'end'; ahead++) if (isOfFlow(cursor, ahead)) return false;
  return true;
}

/** A heading, a definition, an arrow that is not in prose, or an instruction of a step. */
function isOfFlow(cursor: Cursor, ahead: number): boolean {
  const { peek, sees } = cursor;
  const { fresh, kind, raw } = peek(ahead);
  if (kind === 'mark') return raw === ':=' || (['->', '||', '~>'].includes(raw) && !isInProse(cursor, ahead));
  const isHeading = fresh && /^(?:workflow|definitions)$/i.test(raw) && sees(':', ahead + 1);
  const instructs = kind === 'word' && sees(':', ahead + 1) && peek(ahead + 2).kind === 'string';
  return isHeading || (instructs && !peek(ahead + 2).spaced);
}

/** Tells whether a token stands in a line of prose: two words beside each other, or a mark that no flow has. */
function isInProse({ peek }: Cursor, ahead: number): boolean {
  let first = ahead;
  while (!peek(first).fresh) first--;
  let depth = 0;
  for (let at = first; peek(at).kind !== 'end' && (at === first || !peek(at).fresh); at++) {
    const { kind, raw } = peek(at);
    if (kind === 'mark') depth += raw === '(' ? 1 : raw === ')' ? -1 : 0;
    const next = peek(at + 1);
    if (kind === 'other' || (depth === 0 && kind === 'word' && next.kind === 'word' && !next.fresh)) return true;
  }
  return false;
}

/** Leaves a note behind, with a warning; the offset at which it begins. */
function skipNote({ take, at, skipRest, problem }: Cursor): number {
  const rule = take();
  problem({
    code: 'unexpected-text',
    severity: 'warning',
    at: at(rule),
    message: 'What stands behind this `---` is no part of the flow: it is not read.',
    suggestion: 'a note in a flow is a comment: `# …`',
  });
  skipRest();
  return rule.start;
}

/** `Workflow:` and `Definitions:` at a line's start, and lines `---`, part the sections of a template. */
function skipHeading(cursor: Cursor): boolean {
  const { peek, sees, take } = cursor;
  if (peek().kind === 'rule') {
    take();
    return true;
  }
  if (!peek().fresh || !/^(?:workflow|definitions)$/i.test(peek().raw) || !sees(':', 1) || peek(2).kind === 'string')
    return false;
  take();
  take();
  return true;
}

function seesHeading({ peek, sees }: Cursor): boolean {
  return (
    peek().kind === 'rule' ||
    (peek().fresh && /^(?:workflow|definitions)$/i.test(peek().raw) && sees(':', 1) && peek(2).kind !== 'string')
  );
}

function reportJoint(cursor: Cursor): void {
  const { problem, at, peek } = cursor;
  if (isStray(cursor) || skipWrongOperator(cursor)) return;
  const message = `Expected \`->\` or \`||\` before ${found(cursor)}: nothing joins it to the step before.`;
  problem({
    code: 'missing-operator',
    at: at(peek()),
    message,
    suggestion: 'write `->` to go on with it, `||` to do both at once',
  });
}

const LIKE_OPERATORS = /^(?:[|&=>→⇒;,+-]|&&)$/u;

/** Tells whether a token is what other languages put between two steps, or goes on with that: `=>`, `-->`, `- >`. */
function isLikeOperator({ raw, spaced }: Token, before: Token | null): boolean {
  if (before === null) return LIKE_OPERATORS.test(raw);
  return before.raw === '-' ? ['-', '->', '>'].includes(raw) : !spaced && LIKE_OPERATORS.test(raw);
}

/**
 * What other languages put between two steps (`|`, `=>`, `;`) goes as a whole, with one problem; false when there is
 * none.
 */
function skipWrongOperator({ peek, take, at, problem }: Cursor): boolean {
  let length = 0;
  while (length < 3 && isLikeOperator(peek(length), length === 0 ? null : peek(length - 1))) length += 1;
  if (length === 0 || !/^[\w$@[]/.test(peek(length).raw)) return false;
  const first = peek();
  let last = take();
  for (let taken = 1; taken < length; taken += 1) last = take();
  const place = at(first, last);
  const raw = place.source.text.slice(place.start, place.end);
  const meant = /[|&,+]/.test(raw) ? 'write `||` for steps that run at once' : 'write `->`';
  problem({
    code: 'missing-operator',
    at: place,
    message: `Expected \`->\` or \`||\`, got \`${raw}\`.`,
    suggestion: meant,
  });
  return true;
}

function isStray({ sees }: Cursor): boolean {
  return sees(']') || sees(')') || sees('}');
}

/**
 * Leaves closing brackets behind that nothing opens; whether an operator after them goes on with what stands before.
 */
function skipStray(cursor: Cursor): boolean {
  const { problem, at, peek, take } = cursor;
  let goesOn = false;
  while (isStray(cursor)) {
    problem({ code: 'unbalanced-bracket', at: at(peek()), message: `Nothing opens this \`${peek().raw}\`.` });
    take();
    goesOn = cursor.sees('->') || cursor.sees('||');
    if (goesOn) take();
  }
  return goesOn;
}

/** Tells whether nothing stands after an operator that needs something there. */
function isDangling(cursor: Cursor, operator: Token): boolean {
  const { atEnd, sees, problem, at } = cursor;
  const ends = atEnd() || isStray(cursor) || seesHeading(cursor) || seesDefinition(cursor);
  if (!ends && !sees('->') && !sees('||')) return false;
  const what = ends ? found(cursor) : `${found(cursor)}: there is an empty step between them`;
  problem({
    code: 'dangling-operator',
    at: at(operator),
    message: `Expected a step after \`${operator.raw}\`, got ${what}.`,
  });
  return true;
}

/** One function for each rule of the grammar, the loosest first. Null stands for a part with reported problems. */
function createDescent(cursor: Cursor, definitions: FlowTree['definitions']) {
  const { peek, sees, seesWord, takes, take, at, problem, begin, atEnd, previous } = cursor;

  /** `source (if c)~> body (if d)~> body`: all that is to the right of `~>` is its body, up to the next condition. */
  const chain = (depth: number): FlowExpression | null => {
    if (isTooDeep(cursor, depth)) return null;
    const source = seesCondition(cursor) ? null : sequence(depth);
    if (!seesCondition(cursor)) return source;
    const branches: Conditional['branches'] = [];
    while (seesCondition(cursor)) {
      const condition = parseCondition(cursor);
      const body = sequence(depth + 1);
      if (condition !== null && body !== null) branches.push({ condition, body });
      else if (body !== null)
        branches.push({
          condition: { at: at(previous()), comments: noComments(), text: 'passed', isElse: false, capture: null },
          body,
        });
    }
    checkElse(
      cursor,
      branches.map(({ condition }) => condition),
    );
    return branches.length === 0 ? source : { kind: 'conditional', source, branches };
  };

  const sequence = (depth: number): FlowExpression | null => {
    const items: FlowExpression[] = [];
    const add = (item: FlowExpression | null): void => {
      if (item !== null) items.push(item);
    };
    add(parallel(depth));
    while (sees('->')) {
      const operator = take();
      if (depth === 0) while (seesDefinition(cursor)) definitions.push(parseDefinition(cursor));
      if (seesCondition(cursor)) add(chain(depth + 1));
      else if (!isDangling(cursor, operator)) add(parallel(depth));
    }
    return items.length > 1 ? { kind: 'sequence', items } : (items[0] ?? null);
  };

  const parallel = (depth: number): FlowExpression | null => {
    const branches: FlowExpression[] = [];
    const add = (branch: FlowExpression | null): void => {
      if (branch !== null) branches.push(branch);
    };
    add(primary(depth));
    while (sees('||')) {
      const operator = take();
      if (!isDangling(cursor, operator)) add(primary(depth));
    }
    return branches.length > 1 ? { kind: 'parallel', branches } : (branches[0] ?? null);
  };

  const primary = (depth: number): FlowExpression | null => {
    if (sees('[') || holdsSteps(cursor)) return group(depth);
    if (sees('$') || seesWord()) return parseAgentCall(cursor);
    if (sees('@')) return parseMarked(cursor);
    reportNoStep(cursor);
    return null;
  };

  const group = (depth: number): Group | null => {
    const comments = begin();
    const open = take();
    const end = open.raw === '(' ? ')' : ']';
    if (end === ')') reportParenthesis(cursor, open);
    const empty = sees(end);
    if (empty) problem({ code: 'missing-step', at: at(open, peek()), message: 'Expected a step between `[` and `]`.' });
    const bodies = empty ? [] : bodiesIn(end, depth + 1);
    cursor.resume(comments);
    const close = takes(end);
    if (close === null)
      problem({ code: 'unbalanced-bracket', at: at(open), message: `Expected \`${end}\` for this \`${open.raw}\`.` });
    const [only] = bodies;
    if (only === undefined) return null;
    return {
      kind: 'group',
      body: bodies.length > 1 ? { kind: 'sequence', items: bodies } : only,
      at: at(open, close ?? previous()),
      comments,
    };
  };

  /** One, where nothing is wrong. */
  const bodiesIn = (end: ']' | ')', depth: number): FlowExpression[] => {
    const bodies: FlowExpression[] = [];
    while (!atEnd() && !sees(end)) {
      const before = peek();
      if (bodies.length > 0) reportJoint(cursor);
      const body = chain(depth);
      if (body !== null) bodies.push(body);
      if (seesHeading(cursor) || seesDefinition(cursor)) break;
      if (peek() === before || (isStray(cursor) && !sees(end))) skipOne(cursor);
    }
    return bodies;
  };

  return { chain };
}

function reportParenthesis({ problem, at }: Cursor, open: Token): void {
  problem({
    code: 'unexpected-text',
    at: at(open),
    message: 'Expected brackets around steps, got parentheses, which are for conditions.',
    suggestion: 'write `[ … ]`',
  });
}

function isTooDeep(cursor: Cursor, depth: number): boolean {
  if (depth <= MAX_DEPTH) return false;
  cursor.problem({
    code: 'too-deep',
    at: cursor.at(cursor.peek()),
    message: `Expected at most ${MAX_DEPTH} brackets and conditions inside each other, got more.`,
  });
  cursor.giveUp();
  return true;
}

/** Leaves what no rule takes behind. */
function skipOne(cursor: Cursor): void {
  const { problem, at, peek, take } = cursor;
  if (isStray(cursor))
    problem({ code: 'unbalanced-bracket', at: at(peek()), message: `Nothing opens this \`${peek().raw}\`.` });
  take();
}
