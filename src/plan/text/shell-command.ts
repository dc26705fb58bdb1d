import { MOST } from './short-words.js';

/** How much is shown of a word that is too long to be copied. */
const BEGIN = 60;

/**
 * A command for people to copy. It begins with words of ours; a shell looks into none of the others, and no program
 * takes them for options. `flags` are ours as well, with what was quoted.
 */
export function shellCommand(begin: string, words: readonly string[], flags = ''): string {
  const said = words.map(shellWord);
  const all = words.some((word) => word.startsWith('-')) ? [flags, '--', ...said] : [...said, flags];
  return [begin, ...all].filter((part) => part !== '').join(' ');
}

/**
 * A word as it is typed in sh, bash, zsh or fish, which look into nothing of it. What `shortWords` would cut is cut
 * before it is quoted.
 */
export function shellWord(word: string): string {
  if (/^(?!=)[A-Za-z0-9_./:@%+=-]+$/.test(word) && word.length <= MOST) return word;
  const quoted = quote(word);
  return quoted.length > MOST ? quote(`${word.slice(0, BEGIN)}… [${word.length} characters]`) : quoted;
}

/** In fish a backslash has a meaning between single quotes. */
function quote(word: string): string {
  return `'${word.replace(/['\\]/g, (character) => (character === "'" ? `'"'"'` : "'\\\\'"))}'`;
}
