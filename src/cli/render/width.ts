const MARKS = /\p{Mark}|\u200d|\ufe0f/u;
const EMOJI = /\p{Emoji_Presentation}/u;
const ANSI = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** East Asian wide and full-width blocks, as [first, last] code points. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x20000, 0x3fffd],
];

function characterWidth(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x300) return 1;
  if (MARKS.test(character)) return 0;
  return EMOJI.test(character) || WIDE.some(([first, last]) => point >= first && point <= last) ? 2 : 1;
}

/** Columns that a text takes on a terminal; our own colours take none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text.replace(ANSI, '')) width += characterWidth(character);
  return width;
}

/** The text in at most `width` columns, cut with `…`. Takes text without colours. */
export function clip(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width <= 0) return '';
  let used = 0;
  let kept = '';
  for (const character of text) {
    used += characterWidth(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** The text in exactly `width` columns. Takes text without colours. */
export function fit(text: string, width: number): string {
  const clipped = clip(text, width);
  return clipped + ' '.repeat(Math.max(0, width - displayWidth(clipped)));
}

/** The text broken at spaces into lines of at most `width` columns; words that are longer are cut. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, width)));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if (displayWidth(joined) <= width) current = joined;
    else {
      if (current !== '') lines.push(current);
      current = clip(word, width);
    }
  }
  return [...lines, current];
}
