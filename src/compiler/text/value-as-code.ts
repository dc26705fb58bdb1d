import type { Node } from './node.js';
import type { Report } from '../problems/problem.js';

/** Programs, each with the option that makes the next word a program, or that has one behind its `=`. */
const INTERPRETERS: readonly (readonly [name: RegExp, next: RegExp])[] = [
  [/^(?:ba|da|z|k|fi)?sh$/, /^-[A-Za-z]*c$/],
  [/^su$/, /^(?:-c|--command)$/],
  [/^python[\d.]*$/, /^-[A-Za-z]*c$/],
  [/^(?:node|bun)$/, /^(?:-e|-p|-pe|--eval|--print)$/],
  [/^(?:ruby|perl)$/, /^-[A-Za-z]*[eE]$/],
  [/^php$/, /^-r$/],
  [/^psql$/, /^(?:-c|--command)$/],
  [/^mysql$/, /^(?:-e|--execute)$/],
];
const PROGRAM_WITHIN = /^--(?:eval|print|command|execute)=/;
/** Those whose options may come behind other words. */
const CLIENT = /^(?:psql|mysql|su)$/;

/**
 * Warns where a value is put into the text of a program that an interpreter gets as an argument: what a model answered
 * would be code of it (decision 3). Takes the words of a command, and what tells that one has a value in it.
 */
export function warnOfCode(items: readonly Node[], hasValue: (text: string) => boolean, report: Report): void {
  const words = items.map(({ value }) => String(value));
  const program = words.findIndex((word) => optionOf(word) !== undefined);
  const code = program === -1 ? null : codeIn(words, program);
  const item = code === null ? undefined : items[code];
  if (item === undefined || !hasValue(String(item.value))) return;
  const name = nameOf(words[program] ?? '');
  report({
    code: 'value-as-code',
    severity: 'warning',
    at: item,
    message: `The value becomes part of a program: \`${name}\` runs whatever is in it.`,
    suggestion: name.endsWith('sh')
      ? `write \`"$1"\` there, and behind it \`${name}\` and the value as two more words`
      : 'hand it over as an argument behind the program, and read it there',
  });
}

function nameOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

function optionOf(word: string): RegExp | undefined {
  return INTERPRETERS.find(([name]) => name.test(nameOf(word)))?.[1];
}

/** Which word is the text of a program; null for none. Behind the name of a file, words are its arguments. */
function codeIn(words: string[], program: number): number | null {
  const name = words[program] ?? '';
  for (let at = program + 1; at < words.length; at++) {
    const word = words[at] ?? '';
    if (PROGRAM_WITHIN.test(word)) return at;
    if (optionOf(name)?.test(word) === true) return at + 1;
    if (!word.startsWith('-') && !CLIENT.test(nameOf(name))) return null;
  }
  return null;
}

/** Tells whether a text has a `${…}` that is none of its own: `\\${` is written for one. */
export function hasTemplate(text: string): boolean {
  return text.replaceAll('\\${', '').includes('${');
}
