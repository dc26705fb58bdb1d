import { z } from 'zod';
import { filledText, text } from '../values.js';

/** A text of at most so many characters, as the caps of Elisa have them. */
export const textUpTo = (most: number) => text.max(most, { error: `a text of at most ${most} characters` });

/** The same, and not empty. */
export const filledUpTo = (most: number) => filledText.max(most, { error: `a text of at most ${most} characters` });

/** Tells whether a path, as it is written, stays inside the project. */
const isInside = (path: string): boolean => !/^(?:[\\/~]|[a-z]:)/i.test(path) && !path.split(/[\\/]/).includes('..');

/** A file of the project, by its path from there. */
export const projectFile = filledUpTo(500).refine(isInside, {
  error: 'a file inside the project, by its path from there',
});

export const flag = z.boolean({ error: 'true or false' });

export const map = (what: string) => ({ error: `a map: ${what}` });

/** A whole number between two. */
export const between = (least: number, most: number) => {
  const error = `a whole number from ${least} to ${most}`;
  return z.number({ error }).int({ error }).min(least, { error }).max(most, { error });
};

/** A list of at most so many items. */
export const list = <T extends z.ZodType>(item: T, most: number, what: string) =>
  z.array(item, { error: `a list of ${what}` }).max(most, { error: `at most ${most} ${what}` });

/** One of some words. */
export const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `one of ${words.join(', ')}` });
