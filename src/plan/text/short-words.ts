/** A longer word is no name that people can read. */
export const MOST = 400;
const BEGIN = 120;
const END = 40;

/** A text for people in which a word of more than 400 characters shows its begin, its end and how long it is. */
export function shortWords(text: string): string {
  return text.replace(
    new RegExp(`\\S{${MOST + 1},}`, 'g'),
    (word) => `${word.slice(0, BEGIN)}… [${word.length} characters] …${word.slice(-END)}`,
  );
}
