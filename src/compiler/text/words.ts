/** A word of a line, as shells tell them apart: in quotes it may hold blanks. */
const WORD = /(?:"[^"]*"|'[^']*'|\S)+/g;

/** The words of a line that was written for a shell, without their quotes. */
export function wordsOf(line: string): string[] {
  return (line.match(WORD) ?? []).map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_all, double?: string, single?: string) => double ?? single ?? ''),
  );
}

/** Words as a list of YAML in which each is a text; what YAML takes for something else stands in quotes. */
export function listText(words: readonly string[]): string {
  return `[${words.map(plainText).join(', ')}]`;
}

function plainText(word: string): string {
  const isPlain = /^[A-Za-z0-9_./-][A-Za-z0-9_./=@-]*$/.test(word) && !/^(?:true|false|null|-)$/i.test(word);
  return isPlain && Number.isNaN(Number(word)) ? word : JSON.stringify(word);
}
