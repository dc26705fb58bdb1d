import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** What stays together on a line: an escape that stands for a character, else what is drawn as one. */
const ESCAPE = /(\\u\{[0-9a-f]{1,6}\})/;
const WIDEST_ESCAPE = 10;
/** Made when a text needs it: the first one of a process takes 11 ms. */
let graphemes: Intl.Segmenter | undefined;

/** Our own colours. */
const STYLES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
/**
 * One column each, and one unit of a string. `string-width` knows no more of them, but begins with finding out what all
 * emoji are: 40 ms.
 */
const NARROW = new RegExp(
  `^[${[
    String.raw` -~\u00a1-\u00ac\u00ae-\u02ff`, // Latin
    String.raw`\u0391-\u03a9\u03b1-\u03c9\u0400-\u0482\u048a-\u04ff`, // Greek, Cyrillic
    String.raw`\u2010-\u2027\u2030-\u205e\u2190-\u21ff`, // punctuation, arrows
    String.raw`\u2500-\u25fc\u2713\u2717\u2801-\u28ff`, // boxes, marks, Braille
  ].join('')}]*$`,
);

/** Columns that a text takes on a terminal; our own colours take none. */
export function displayWidth(text: string): number {
  const drawn = text.includes('\u001b') ? text.replace(STYLES, '') : text;
  return NARROW.test(drawn) ? drawn.length : stringWidth(drawn);
}

/**
 * The text in at most `width` columns, cut with `…`: for what is told in few words and never approved. Takes text
 * without colours.
 */
export function clip(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width <= 0) return '';
  const [first = ''] = pieces(text, width - 1);
  return `${displayWidth(first) < width ? first.trimEnd() : ''}…`;
}

/** The text in exactly `width` columns. Takes text without colours. */
export function fit(text: string, width: number): string {
  const clipped = clip(text, width);
  return clipped + ' '.repeat(Math.max(0, width - displayWidth(clipped)));
}

/**
 * Each line of the text in lines of at most `width` columns, broken at spaces, in words only where they are longer.
 * Nothing is left out: joined again, the lines of a line are the line. Takes text without colours.
 */
export function wrapLines(text: string, width: number): string[][] {
  const room = Math.max(2, width); // a wide character
  return text
    .split('\n')
    .map((line) =>
      displayWidth(line) <= room
        ? [line]
        : wordLines(line, room).flatMap((part) => (displayWidth(part) <= room ? [part] : pieces(part, room))),
    );
}

/** `wrap-ansi` gives back another text where characters can be composed: such a line is broken anywhere. */
function wordLines(line: string, width: number): string[] {
  return line.normalize() === line ? wrapAnsi(line, width, { trim: false, hard: false }).split('\n') : [line];
}

/** Wraps a text into lines of at most `width` columns, without the spaces at which they are broken. */
export function wrap(text: string, width: number): string[] {
  return wrapLines(text, width).flatMap((parts) =>
    parts.length === 1
      ? parts
      : parts.map((part, index) => (index === 0 ? part.trimEnd() : part.trim())).filter((part) => part !== ''),
  );
}

/** A text in pieces of at most `width` columns, as much as goes into each. */
function pieces(text: string, width: number): string[] {
  const all: string[] = [];
  let piece = '';
  let used = 0;
  for (const unit of unitsOf(text, width)) {
    const columns = displayWidth(unit);
    if (piece !== '' && used + columns > width) {
      all.push(piece);
      piece = '';
      used = 0;
    }
    piece += unit;
    used += columns;
  }
  return [...all, piece];
}

function* unitsOf(text: string, width: number): Iterable<string> {
  for (const [index, part] of text.split(ESCAPE).entries()) {
    if (index % 2 === 1 && width >= WIDEST_ESCAPE) yield part;
    else if (NARROW.test(part)) yield* part;
    else
      for (const { segment } of (graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })).segment(part))
        yield segment;
  }
}
