/** Letters that Unicode does not take apart. */
const LETTERS: Record<string, string> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' },
  ...{ ẞ: 'SS', Æ: 'Ae', Œ: 'Oe', Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Þ: 'Th' },
};

/** A text for names: `Émile` is `Emile`, `Straße` is `Strasse`; letters of other scripts stay what they are. */
export function latinOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßæœøłđðþıẞÆŒØŁĐÐÞ]/g, (letter) => LETTERS[letter] ?? letter);
}
