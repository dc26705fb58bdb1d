/** The longest end of a text whose JSON has at most so many bytes in UTF-8; it begins with a whole character. */
export function endWithin(text: string, bytes: number): string {
  const from = (start: number): string => text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
  const fits = (end: string): boolean => Buffer.byteLength(JSON.stringify(end)) <= bytes;
  if (fits(text)) return text;
  let least = 1;
  let most = text.length;
  while (least < most) {
    const middle = (least + most) >> 1;
    if (fits(from(middle))) most = middle;
    else least = middle + 1;
  }
  return from(most);
}

/** Tells whether a UTF-16 unit is the second half of a character. */
function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
