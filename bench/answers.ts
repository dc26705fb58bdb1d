import type { Answer, RecordedRequest } from '../test/fakes/model-endpoint.js';

/** Turns of an agent that works, the last of which is its answer. */
export const AGENT_TURNS = 50;

/** The file that it reads in each of the others, from the project's root; all of them come to a megabyte. */
export const PAGE = { path: 'page.txt', bytes: 20 * 1024 } as const;

/** An agent that is told this reads five files in each of its turns. */
export const READ_FIVE = 'Read five at once.';
const READS = 5;
/** Turns of that one, the last of which is its answer. */
export const FIVE_TURNS = 6;

/**
 * What the endpoint answers at once: to an agent with tools a call of one until all its turns are used, else a word.
 */
export function answerTo({ body, results, messages }: RecordedRequest): Answer {
  if (messages[0]?.text.includes(READ_FIVE) === true) return answerToFive(results.count);
  return body['tools'] !== undefined && results.count < AGENT_TURNS - 1
    ? { tools: [{ name: 'read_file', input: { path: PAGE.path } }] }
    : { text: 'done' };
}

function answerToFive(count: number): Answer {
  const call = { name: 'read_file', input: { path: PAGE.path } };
  return count < READS * (FIVE_TURNS - 1) ? { tools: Array.from({ length: READS }, () => call) } : { text: 'done' };
}
