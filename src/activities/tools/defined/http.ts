import { cutTo } from '../../../plan/text/cut-to.js';
import type { Json } from '../../../plan/values/json.js';
import { keyTwice } from '../../../plan/values/key-twice.js';
import { startTimeLimit } from '../../attempt/time-limit.js';
import { maskCut } from '../../values/mask-secrets.js';
import type { WebRequest } from '../web/fetch.js';
import { WebRefusal, fetchWeb } from '../web/fetch.js';
import type { HttpBlock } from './definition.js';
import type { Values } from './fill.js';
import { atPath, fill, fillAddress, fillText } from './fill.js';
import type { ToolCall } from './program.js';

const LIMIT_MS = 30_000;
/** What is told of the answer of a server that refused. */
const TOLD_CHARACTERS = 1_000;

/**
 * Makes the request of a tool of kind http: to the hosts that its own file names, whatever its agent, and who made
 * that, may reach.
 */
export async function callHttp(
  { definition: { permissions }, values, context, mask }: ToolCall,
  block: HttpBlock,
): Promise<{ text: string } | { value: Json }> {
  const limitMs = block.timeout_ms ?? LIMIT_MS;
  const limit = startTimeLimit(context.signal, limitMs);
  try {
    const answer = await fetchWeb(
      requestOf(block, values),
      { ...context.permissions, network: permissions?.network ?? false, deny: [], ask: [], allow: [], within: [] },
      limit.signal,
    );
    const body = answer.truncated ? maskCut(answer.body, mask, 'end') : answer.body;
    if (answer.status >= 400)
      throw new WebRefusal(`The server answered ${answer.status}: ${mask(body).slice(0, TOLD_CHARACTERS)}`);
    return block.response === undefined ? { text: body } : { value: taken(parseAnswer(body), block.response) };
  } catch (error) {
    if (limit.isOver() && !context.signal.aborted)
      throw new WebRefusal(`There was no whole answer within ${limitMs / 1000} s.`);
    throw error;
  } finally {
    limit.release();
  }
}

/** The request with its values in place. */
export function requestOf(
  { method, url: address, headers = {}, query = {}, body }: HttpBlock,
  values: Values,
): WebRequest {
  const url = new URL(fillAddress(address, values));
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, fillText(value, values));
  const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fillText(value, values)]));
  // What is filled in may be a secret.
  const own = Object.keys(headers).filter((name) => headers[name]?.includes('${'));
  if (body === undefined || typeof body === 'string')
    return { method, url: url.href, own, headers: filled, body: body === undefined ? null : fillText(body, values) };
  const isTyped = Object.keys(filled).some((name) => name.toLowerCase() === 'content-type');
  return {
    method,
    url: url.href,
    own,
    headers: { ...(isTyped ? {} : { 'content-type': 'application/json' }), ...filled },
    body: JSON.stringify(fill(body, values)),
  };
}

/** What a server answered. Throws a refusal where that is no JSON, or where nobody sees which value a key has. */
export function parseAnswer(text: string): Json {
  let answer: Json;
  try {
    answer = JSON.parse(text) as Json; // JSON.parse gives JSON
  } catch {
    throw new WebRefusal('The server answered with something that is no JSON.');
  }
  const twice = keyTwice(text);
  if (twice !== null) throw new WebRefusal(cutTo(`Expected an answer in JSON without ${twice}.`, TOLD_CHARACTERS));
  return answer;
}

/** What is taken of an answer: the value at a path, and of it or of each of its items the fields. */
export function taken(answer: Json, { json_path: path = '$', fields }: NonNullable<HttpBlock['response']>): Json {
  const found = atPath(answer, path);
  if (fields === undefined) return found;
  const pick = (item: Json): Json => Object.fromEntries(fields.map((field) => [field.name, atPath(item, field.path)]));
  return Array.isArray(found) ? found.map(pick) : pick(found);
}
