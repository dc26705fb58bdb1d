/** How the shell reads a stretch of a script. */
export type Quoting = 'code' | 'double' | 'single' | 'ansi' | 'comment' | 'heredoc' | 'quoted-heredoc';

export interface Stretch {
  quoting: Quoting;
  start: number;
  end: number;
  /** Of a here-document: its delimiter as it is written behind `<<`, and the line that opens it. */
  delimiter?: { start: number; end: number; word: string };
  opener?: string;
}

interface Pending {
  word: string;
  quoted: boolean;
  indented: boolean;
  start: number;
  end: number;
}

/**
 * Cuts a script of bash into stretches of one quoting each, in order and without gaps. A script that bash would not
 * take is cut somehow. Linear.
 */
export function shellStretches(script: string): Stretch[] {
  const reader = createReader(script);
  while (reader.at < script.length) {
    const sign = script[reader.at] ?? '';
    if (sign === '\\') reader.at += 2;
    else if (sign === '`') reader.backquote();
    else if (script.startsWith('$(', reader.at)) reader.enter('group', 2);
    else if (sign === '"') reader.quote();
    else if (reader.quoting() === 'double') reader.at += 1;
    else readCode(script, sign, reader);
  }
  reader.at = script.length;
  reader.cut();
  return reader.stretches;
}

type Reader = ReturnType<typeof createReader>;

/** Where a script is read, and what is open there. */
function createReader(script: string) {
  const stretches: Stretch[] = [];
  /** What is open, the innermost last: double quotes, command substitutions, backquotes. */
  const open: ('double' | 'group' | 'backquote')[] = [];
  let from = 0;
  const quoting = (): Quoting => (open.at(-1) === 'double' ? 'double' : 'code');
  const reader = {
    at: 0,
    stretches,
    /** Here-documents whose text begins with the next line. */
    pending: [] as Pending[],
    quoting,
    /** Ends the stretch that is being read. */
    cut: (as: Quoting = quoting(), more: Partial<Stretch> = {}): void => {
      const end = Math.min(reader.at, script.length);
      if (end > from) stretches.push({ quoting: as, start: from, end, ...more });
      from = Math.max(from, end);
    },
    /** A stretch of one quoting up to an index. */
    take: (end: number, as: Quoting, more: Partial<Stretch> = {}): void => {
      reader.cut();
      reader.at = end;
      reader.cut(as, more);
    },
    enter: (what: 'double' | 'group' | 'backquote', length: number): void => {
      reader.cut();
      open.push(what);
      reader.at += length;
    },
    leave: (what: 'double' | 'group'): void => {
      reader.at += 1;
      if (open.at(-1) !== what) return;
      reader.cut();
      open.pop();
    },
    quote: (): void => (open.at(-1) === 'double' ? reader.leave('double') : reader.enter('double', 1)),
    backquote: (): void => {
      if (!open.includes('backquote')) return reader.enter('backquote', 1);
      reader.cut();
      open.length = open.lastIndexOf('backquote');
      reader.at += 1;
    },
  };
  return reader;
}

/** Reads what stands outside of double quotes. */
function readCode(script: string, sign: string, reader: Reader): void {
  const { at } = reader;
  if (sign === "'" || script.startsWith("$'", at))
    reader.take(endOfSingle(script, at), sign === "'" ? 'single' : 'ansi');
  else if (sign === '#' && /[\s;&|(]|^$/.test(script[at - 1] ?? '')) reader.take(endOfLine(script, at), 'comment');
  else if (sign === '(') reader.enter('group', 1);
  else if (sign === ')') reader.leave('group');
  else if (script.startsWith('<<<', at)) reader.at += 3;
  else if (script.startsWith('<<', at)) readOpening(script, reader);
  else {
    reader.at += 1;
    if (sign === '\n') readHeredocs(script, reader);
  }
}

function readOpening(script: string, reader: Reader): void {
  const heredoc = openingAt(script, reader.at);
  if (heredoc !== null) reader.pending.push(heredoc);
  reader.at = heredoc?.end ?? reader.at + 2;
}

/** The texts of all here-documents that the line before has opened. */
function readHeredocs(script: string, reader: Reader): void {
  for (const heredoc of reader.pending) {
    const opener = script.slice(script.lastIndexOf('\n', heredoc.start) + 1, heredoc.start);
    const as = heredoc.quoted ? 'quoted-heredoc' : 'heredoc';
    reader.take(endOfHeredoc(script, reader.at, heredoc), as, { delimiter: heredoc, opener });
  }
  reader.pending = [];
}

/** Behind the quote that ends a text in single quotes, which begins at `'` or `$'`. */
function endOfSingle(script: string, start: number): number {
  const escapes = script[start] === '$';
  for (let at = start + (escapes ? 2 : 1); at < script.length; at++) {
    if (escapes && script[at] === '\\') at++;
    else if (script[at] === "'") return at + 1;
  }
  return script.length;
}

function endOfLine(script: string, start: number): number {
  const end = script.indexOf('\n', start);
  return end === -1 ? script.length : end;
}

const OPENING = /<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_][\w.-]*))/y;

function openingAt(script: string, start: number): Pending | null {
  OPENING.lastIndex = start;
  const found = OPENING.exec(script);
  if (found === null) return null;
  const [whole, dash = '', single, double, bare] = found;
  const head = 2 + dash.length + (/^[ \t]*/.exec(whole.slice(2 + dash.length))?.[0].length ?? 0);
  return {
    word: single ?? double ?? bare ?? '',
    quoted: bare === undefined || whole.includes('\\'),
    indented: dash !== '',
    start: start + head,
    end: start + whole.length,
  };
}

/** Behind the last line before the one that holds nothing but the delimiter. */
function endOfHeredoc(script: string, start: number, { word, indented }: Pending): number {
  for (let at = start; at < script.length;) {
    const end = endOfLine(script, at);
    const line = script.slice(at, end);
    if ((indented ? line.replace(/^\t+/, '') : line) === word) return at;
    at = end + 1;
  }
  return script.length;
}
