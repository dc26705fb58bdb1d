/**
 * Tells whether a sequence is as a pattern says, in which a star stands for any run of items, and each other part fits
 * one. Linear but for one step back to the last star: no pattern takes long.
 */
export function matchesStars<P, T>(
  pattern: ArrayLike<P>,
  items: ArrayLike<T>,
  isStar: (part: P) => boolean,
  fits: (part: P, item: T) => boolean,
): boolean {
  const starAt = (at: number): boolean => at < pattern.length && isStar(pattern[at] as P); // inside its length
  let at = 0;
  let star = -1;
  let resume = 0;
  let index = 0;
  while (index < items.length) {
    if (starAt(at)) {
      star = at;
      at += 1;
      resume = index;
    } else if (at < pattern.length && fits(pattern[at] as P, items[index] as T)) {
      // both are inside their lengths
      at += 1;
      index += 1;
    } else if (star !== -1) {
      at = star + 1;
      resume += 1;
      index = resume;
    } else return false;
  }
  while (starAt(at)) at += 1;
  return at === pattern.length;
}

/** Tells whether a text is as a pattern says, in which `*` stands for any characters and nothing else is special. */
export function matchesPattern(pattern: string, text: string): boolean {
  return matchesStars(
    pattern,
    text,
    (part) => part === '*',
    (part, character) => part === character,
  );
}
