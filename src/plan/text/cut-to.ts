/** The head of a text in at most so many UTF-16 units, with `…` where something is missing; no half of a character. */
export function cutTo(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = text.slice(0, most - 1);
  return `${/[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head}…`;
}
