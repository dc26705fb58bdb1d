import type { Readable } from 'node:stream';
import { Agent } from 'undici';

/** An answer whose head is there; the body is read as it comes. */
export interface Posted {
  statusCode: number;
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

/** Neither a model that takes long to be loaded nor one that thinks for long is given up: the step's own time limit ends a call (decision 13). */
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

/**
 * Sends JSON to a model and gives the response when its head is there. A call takes a worker with fifty under way a tenth less
 * CPU than with Node's own client, and half of what it takes with `fetch`. On abort the socket is closed.
 */
export function post(url: string, { body, headers = {}, signal }: { body: string; headers?: Record<string, string>; signal: AbortSignal }): Promise<Posted> {
  const { origin, pathname, search, username, password } = new URL(url);
  const login = username === '' && password === '' ? {} : { authorization: `Basic ${btoa(decodeURIComponent(`${username}:${password}`))}` };
  return agent.request({ origin, path: `${pathname}${search}`, method: 'POST', body, headers: { ...login, ...headers, 'content-type': 'application/json' }, signal });
}
