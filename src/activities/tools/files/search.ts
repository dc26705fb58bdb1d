import { Script, createContext } from 'node:vm';
import { createTimedScripts } from '../../values/timed-script.js';

/** All that the expressions of one search may take together. */
const BUDGET_MS = 1_000;
const MOST_IN_FILE = 201;

export interface FoundLine {
  /** From 1. */
  number: number;
  line: string;
}

/** A fixed program: the expression and the text are data to it. */
const PROGRAM = new Script(`{
  const expression = new RegExp(pattern, flags);
  const found = [];
  const lines = text.split('\\n');
  for (let index = 0; index < lines.length && found.length < most; index += 1)
    if (expression.test(lines[index])) found.push(index);
  JSON.stringify(found);
}`);

/** A search with a model's own regular expression. */
export function createSearch(
  pattern: string,
  ignoreCase: boolean,
): { find: (text: string) => FoundLine[] | 'slow' } | { invalid: string } {
  const flags = ignoreCase ? 'i' : '';
  try {
    new RegExp(pattern, flags);
  } catch (error) {
    return { invalid: error instanceof Error ? error.message : 'This is no regular expression.' };
  }
  const scripts = createTimedScripts(BUDGET_MS);
  const place = createContext({ pattern, flags, text: '', most: MOST_IN_FILE });
  return {
    find(text) {
      place['text'] = text;
      const ran = scripts.run(PROGRAM, place);
      if (ran === 'slow') return ran;
      const found = JSON.parse(String(ran.value)) as number[]; // the program's own text
      const lines = found.length === 0 ? [] : text.split('\n');
      return found.map((index) => ({ number: index + 1, line: lines[index] ?? '' }));
    },
  };
}
