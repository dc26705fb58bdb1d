import { dataBlock } from '../../../plan/text/data-block.js';

/** Words of one summary that are told, and of all together. */
const WORDS_EACH = 500;
const WORDS_IN_ALL = 2_000;

/** What somebody said of what was done. */
export interface Summary {
  name: string;
  text: string;
}

/**
 * Summaries as a prompt has them, in the order given: each at most 500 words, all together at most 2,000; a line tells
 * how many are left out. What is inside ends no container.
 */
export function tellSummaries(summaries: Summary[]): string {
  const told: string[] = [];
  let left = WORDS_IN_ALL;
  for (const { name, text } of summaries) {
    const cut = firstWords(text, WORDS_EACH);
    const words = wordsOf(cut);
    if (words > left) break;
    left -= words;
    told.push(dataBlock('task', cut, name));
  }
  const omitted = summaries.length - told.length;
  return [...told, ...(omitted === 0 ? [] : [`[${omitted} earlier task(s) omitted for brevity]`])].join('\n\n');
}

/** The first words of a text, with a mark where some were left out. */
export function firstWords(text: string, most: number): string {
  const trimmed = text.trim();
  if (wordsOf(trimmed) <= most) return trimmed;
  const [head = ''] = new RegExp(`^(?:\\S+\\s+){${most - 1}}\\S+`).exec(trimmed) ?? [];
  return `${head} [truncated]`;
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}
