/**
 * A piece of an instruction: text as it is, `{name.field[0]}`, or `{{param:default}}`. Offsets are those of the raw
 * text.
 */
export type InstructionPart =
  | { kind: 'text'; text: string }
  | { kind: 'reference'; name: string; path: (string | number)[]; source: string; start: number; length: number }
  | { kind: 'parameter'; name: string; default: string | null; source: string; start: number; length: number };

const REFERENCE = /\{([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*|\[\d{1,6}\])*)\}/y;
const PARAMETER = /\{\{[ \t]*([A-Za-z_][\w-]*)[ \t]*(?=:|\}\})/y;

/** What a text in quotes says: `\"` is a quote, `\\` a backslash; everything else stands for itself. */
export function literalText(raw: string): string {
  return raw.replace(/\\(["\\])/g, '$1');
}

/** Cuts an instruction at its references, once; `\{` is a brace. Linear. */
export function cutInstruction(raw: string): InstructionPart[] {
  const parts: InstructionPart[] = [];
  const special = /[\\{]/g;
  let text = '';
  let at = 0;
  let mayClose = true;
  const flush = (): void => {
    if (text !== '') parts.push({ kind: 'text', text });
    text = '';
  };
  for (;;) {
    special.lastIndex = at;
    const found = special.exec(raw)?.index ?? raw.length;
    text += raw.slice(at, found);
    if (found >= raw.length) break;
    if (raw[found] === '\\') {
      const next = raw[found + 1] ?? '';
      const escaped = next === '"' || next === '\\' || next === '{';
      text += escaped ? next : '\\';
      at = found + (escaped ? 2 : 1);
      continue;
    }
    const part = parameterAt(raw, found, mayClose) ?? referenceAt(raw, found);
    if (part === 'open') mayClose = false;
    if (part === null || part === 'open') {
      text += '{';
      at = found + 1;
      continue;
    }
    flush();
    parts.push(part);
    at = part.start + part.length;
  }
  flush();
  return parts;
}

/** The parameter that opens here; `open` when no `}}` comes any more. */
function parameterAt(
  raw: string,
  start: number,
  mayClose: boolean,
): (InstructionPart & { kind: 'parameter' }) | 'open' | null {
  PARAMETER.lastIndex = start;
  const head = mayClose ? PARAMETER.exec(raw) : null;
  if (head === null) return null;
  const from = PARAMETER.lastIndex;
  const close = raw.indexOf('}}', from);
  if (close === -1) return 'open';
  const given = raw[from] === ':' ? literalText(raw.slice(from + 1, close)).trim() : null;
  return {
    kind: 'parameter',
    name: head[1] ?? '',
    default: given,
    source: raw.slice(start, close + 2),
    start,
    length: close + 2 - start,
  };
}

function referenceAt(raw: string, start: number): (InstructionPart & { kind: 'reference' }) | null {
  REFERENCE.lastIndex = start;
  const found = REFERENCE.exec(raw);
  if (found === null) return null;
  const [source, name = '', fields = ''] = found;
  const path = [...fields.matchAll(/\.(\w+)|\[(\d+)\]/g)].map(([, field, index]) => field ?? Number(index));
  return { kind: 'reference', name, path, source, start, length: source.length };
}
