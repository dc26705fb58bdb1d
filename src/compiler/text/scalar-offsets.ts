/** How a text is written in YAML; everything that is no YAML is `plain`. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'block';

/**
 * Maps an index of a text to an index of the source that wrote it. YAML adds and drops white space only (indents,
 * folds, chomping) and, in quotes, escapes: so the n-th visible character of the text is the n-th of the source.
 * White space stands right after the visible character before it.
 */
export function createOffsets(text: string, source: string, style: ScalarStyle): (index: number) => number {
  const visible = visibleOffsets(source, style);
  const offsets: number[] = [];
  let previous = (visible[0] ?? 1) - 1;
  let next = 0;
  for (const unit of splitUnits(text)) {
    previous = isSpace(unit) ? previous + 1 : (visible[next++] ?? source.length);
    offsets.push(previous);
  }
  return (index) => Math.max(0, Math.min(offsets[index] ?? previous + 1, source.length));
}

function splitUnits(text: string): string[] {
  return text.split('');
}

function isSpace(unit: string | undefined): boolean {
  return unit === ' ' || unit === '\n' || unit === '\t' || unit === '\r';
}

/** Where each visible character of a scalar's source begins. */
function visibleOffsets(source: string, style: ScalarStyle): number[] {
  const offsets: number[] = [];
  let at = style === 'block' ? source.indexOf('\n') + 1 : style === 'plain' ? 0 : 1;
  const end = style === 'single' || style === 'double' ? source.length - 1 : source.length;
  while (at < end) {
    const escape = escapeAt(source, at, style);
    if (escape !== null) {
      for (let unit = 0; unit < escape.units; unit++) offsets.push(at);
      at += escape.length;
    } else {
      if (!isSpace(source[at])) offsets.push(at);
      at++;
    }
  }
  return offsets;
}

/** The escape that starts here: its length, and how many visible UTF-16 units it stands for. */
function escapeAt(source: string, at: number, style: ScalarStyle): { length: number; units: number } | null {
  if (style === 'single') return source.startsWith("''", at) ? { length: 2, units: 1 } : null;
  if (style !== 'double' || source[at] !== '\\') return null;
  const letter = source[at + 1] ?? '';
  if ('nrt \n\r'.includes(letter)) return { length: 2, units: 0 };
  const digits = letter === 'x' ? 2 : letter === 'u' ? 4 : letter === 'U' ? 8 : 0;
  const code = digits === 0 ? 0 : Number.parseInt(source.slice(at + 2, at + 2 + digits), 16);
  if (digits > 0 && isSpace(String.fromCharCode(code))) return { length: 2 + digits, units: 0 };
  return { length: 2 + digits, units: code > 0xffff ? 2 : 1 };
}
