/** Where somebody writes in a document, as far as lines and brackets tell: what is being written is seldom sound. */
export interface WritingPlace {
  /** Keys from the document down to where it is; `[]` stands for an item of a list. */
  path: string[];
  /** Whether a key is written, or a value, or an item of a list, which may be either. */
  what: 'key' | 'value' | 'item';
  /** The other keys of the map. */
  beside: ReadonlySet<string>;
}

/** The place of an offset in YAML. */
export function placeInYaml(text: string, offset: number): WritingPlace {
  const lines = text.split('\n');
  const number = text.slice(0, offset).split('\n').length - 1;
  const current = readLine(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset));
  const own = { path: current.key === null ? [] : [current.key], beside: new Set<string>() };
  const climb = createClimb(current.column, own);
  const what = current.key !== null ? 'value' : current.dashes.length > 0 ? 'item' : 'key';
  for (let below = number + 1; below < lines.length; below++)
    if (!takeBelow(readLine(lines[below] ?? ''), current.column, own.beside)) break;
  climb.enter(current.dashes);
  for (let above = number - 1; above >= 0; above--) climb.take(readLine(lines[above] ?? ''));
  return placeInBrackets(current.rest, own.path) ?? { path: own.path, what, beside: own.beside };
}

/** A map or a list that is open, with the key that is written in it, and all that were. */
interface Bracket {
  isList: boolean;
  key: string | null;
  keys: string[];
}

/** The place of an offset in JSON, or in maps and lists that are written as JSON has them; null outside of them. */
export function placeInBrackets(before: string, around: string[] = []): WritingPlace | null {
  const open: Bracket[] = [];
  const pieces = before.matchAll(/"(?:[^"\\]|\\.)*("|$)|'(?:[^']|'')*('|$)|[{}[\],:]|[^{}[\],:"'\s]+/g);
  let word = '';
  for (const [piece] of pieces) {
    if (piece === '{' || piece === '[') open.push({ isList: piece === '[', key: null, keys: [] });
    else if (piece === '}' || piece === ']') open.pop();
    else if (piece === ',' || piece === ':') separate(open.at(-1), piece, word);
    else word = piece.replace(/^["']|["']$/g, '');
  }
  const top = open.at(-1);
  if (top === undefined) return null;
  const path = open.flatMap(({ isList, key }) => (isList ? '[]' : (key ?? [])));
  const what = top.isList ? 'item' : top.key === null ? 'key' : 'value';
  return { path: [...around, ...path], what, beside: new Set(top.keys) };
}

function separate(bracket: Bracket | undefined, piece: ',' | ':', word: string): void {
  if (bracket === undefined) return;
  if (piece === ',') bracket.key = null;
  else if (!bracket.isList && bracket.key === null) {
    bracket.key = word;
    bracket.keys.push(word);
  }
}

/** A line: where its dashes stand, its key, and what comes behind. */
interface Line {
  dashes: number[];
  column: number;
  key: string | null;
  rest: string;
  isEmpty: boolean;
}

function readLine(line: string): Line {
  let column = line.search(/[^ ]|$/);
  const dashes: number[] = [];
  for (let dash = /^-(?: +|$)/.exec(line.slice(column)); dash !== null; dash = /^-(?: +|$)/.exec(line.slice(column))) {
    dashes.push(column);
    column += dash[0].length;
  }
  const rest = line.slice(column);
  const [head, , key] = /^(["']?)([\w$.-]+)\1[ \t]*:(?=\s|$)/.exec(rest) ?? [];
  const isEmpty = dashes.length === 0 && /^(?:#|\s*$)/.test(rest);
  return { dashes, column, key: key ?? null, rest: head === undefined ? rest : rest.slice(head.length), isEmpty };
}

/** Goes up line by line; what it finds goes to the front of a path. */
function createClimb(
  column: number,
  { path, beside }: { path: string[]; beside: Set<string> },
): { enter: (dashes: number[]) => void; take: (line: Line) => void } {
  let bound = column;
  let isList = false;
  let isInside = true;
  const enter = (dashes: number[]): void => {
    for (const dash of dashes.toReversed()) {
      if (dash > bound || (dash === bound && isList)) continue;
      path.unshift('[]');
      [bound, isList, isInside] = [dash, true, false];
    }
  };
  const take = ({ dashes, column: at, key, isEmpty }: Line): void => {
    if (isEmpty) return;
    if (key !== null && !isList && isInside && at === bound) beside.add(key);
    if (key !== null && (isList ? at <= bound && dashes.length === 0 : at < bound)) {
      path.unshift(key);
      [bound, isList, isInside] = [at, false, false];
    }
    if (!isList) enter(dashes.filter((dash) => dash < bound));
  };
  return { enter, take };
}

/** Takes the key of a line below into the same map; false where the map has ended. */
function takeBelow({ dashes, column, key, isEmpty }: Line, at: number, beside: Set<string>): boolean {
  if (isEmpty || (dashes[0] ?? column) > at) return true;
  if (dashes.length > 0 || column < at) return false;
  if (key !== null) beside.add(key);
  return true;
}
