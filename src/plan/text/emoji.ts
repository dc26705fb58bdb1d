/** What a person sees as one emoji has marks and joiners in it that are not drawn; all of these begin so. */
const LIKE_EMOJI = (() => {
  const one = '\\p{Emoji}(?:\\p{EMod}|\\u{fe0f}\\u{20e3}?|[\\u{e0020}-\\u{e007e}]{1,8}\\u{e007f})?';
  return new RegExp(
    `((?=\\p{Emoji}\\p{EMod}?(?:\\u{200d}|\\u{fe0f}|[\\u{e0020}-\\u{e007f}]))${one}(?:\\u{200d}${one}){0,3})`,
    'u',
  );
})();

/** Texts of people have fewer emoji that are none. */
const MOST_WRONG = 500;

/**
 * Parts of a text: at odd places are emoji in which something is not drawn, which belongs there. To tell whether one is
 * known takes so long that each is looked at once; after many that are not, of hostile texts, none is looked at.
 */
export function splitByEmoji(text: string): string[] {
  const known = new Map<string, boolean>();
  let wrong = 0;
  let rest = '';
  const parts: string[] = [];
  for (const [index, part] of text.split(LIKE_EMOJI).entries()) {
    if (index % 2 === 1 && isEmoji(part)) {
      parts.push(rest, part);
      rest = '';
    } else rest += part;
  }
  return [...parts, rest];

  function isEmoji(part: string): boolean {
    const seen = known.get(part);
    if (seen !== undefined || wrong >= MOST_WRONG) return seen ?? false;
    const is = new RegExp('^\\p{RGI_Emoji}$', 'v').test(part);
    if (!is) wrong += 1;
    known.set(part, is);
    return is;
  }
}
