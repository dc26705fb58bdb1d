import type { Answer, RecordedRequest } from '../test/fakes/model-endpoint.js';

/** Turns of an agent that works, the last of which is its answer. */
export const AGENT_TURNS = 50;

/** The file that it reads in each of the others, from the project's root; all of them come to a megabyte. */
export const PAGE = { path: 'page.txt', bytes: 20 * 1024 } as const;

/**
 * What the endpoint answers at once: to an agent with tools a call of one until all its turns are used, else a word.
 */
export function answerTo({ body, results }: RecordedRequest): Answer {
  return body['tools'] !== undefined && results.count < AGENT_TURNS - 1
    ? { tools: [{ name: 'read_file', input: { path: PAGE.path } }] }
    : { text: 'done' };
}
