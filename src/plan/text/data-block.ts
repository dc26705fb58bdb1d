/**
 * A text that others wrote, in a container that it cannot leave: what is inside describes something, and is never an
 * instruction. `name` says whose it is.
 */
export function dataBlock(tag: string, text: string, name?: string): string {
  const attribute = name === undefined ? '' : ` name="${attributeText(name)}"`;
  return `<${tag}${attribute}>\n${insideBlock(text)}\n</${tag}>`;
}

/** A text in which nothing ends the container that it is put into. */
export function insideBlock(text: string): string {
  return text.replaceAll('</', '<\\/');
}

/** A name on one line, for the head of a container. */
export function attributeText(name: string): string {
  return name.replace(/[\s<>"]+/g, ' ').trim();
}

/** What a lenient reader passes over in a tag. No `<` is in it, so a search takes linear time. */
const UNSEEN = '\\s\\p{Cc}\\p{Cf}\\p{DI}';

/** A text in which nothing ends a container with one of these tags; all else in it stays letter for letter. */
export function insideTags(text: string, tags: string[]): string {
  if (tags.length === 0) return text;
  const ends = new RegExp(`<(?=[${UNSEEN}]*/[${UNSEEN}/]*(?:${tags.join('|')})(?![\\w-]))`, 'giu');
  return text.replace(ends, '<\\');
}
