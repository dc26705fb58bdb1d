import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { ToolStep } from '../../plan/step.js';

/** From this status on a server has refused the request or failed at it (RFC 9110, section 15). */
const FIRST_BAD_STATUS = 400;

/**
 * Why a step fails whose tool gave an answer; null where it does not. An agent reads that its program ended with
 * another exit code than 0, or that the server refused, and goes on from there. A step has nobody who reads: it fails
 * as one of `command` does, or of a `tool.yml`. The step's `schema` may say which `exit_code` or `status` is right;
 * then that alone decides.
 */
export function failureIn({ tool, schema }: ToolStep, content: Json): string | null {
  if (tool.kind !== 'builtin' || !isObject(content)) return null;
  if (tool.name === 'shell' && !speaksOf(schema, 'exit_code')) return exitFailure(content);
  if (tool.name === 'http_request' && !speaksOf(schema, 'status')) return statusFailure(content);
  return null;
}

/** One line of a tool that judges, where its word is no: `run_tests`, `start_program`. Its step has done its work. */
export function noteIn({ tool }: ToolStep, content: Json): string | null {
  if (tool.kind !== 'builtin' || !isObject(content) || content['ok'] !== false) return null;
  const [line = ''] = typeof content['reason'] === 'string' ? content['reason'].split('\n') : [];
  return line === '' ? 'not ok' : `not ok: ${line}`;
}

function speaksOf(schema: Json, property: string): boolean {
  return isObject(schema) && isObject(schema['properties']) && Object.hasOwn(schema['properties'], property);
}

function exitFailure({ exit_code: code, stdout, stderr }: JsonObject): string | null {
  if (code === 0) return null;
  const said = [stderr, stdout]
    .map((text) => (typeof text === 'string' ? text.trim() : ''))
    .find((text) => text !== '');
  return said === undefined ? `exit ${String(code)}` : `exit ${String(code)}: ${said}`;
}

function statusFailure({ status, body }: JsonObject): string | null {
  if (typeof status !== 'number' || status < FIRST_BAD_STATUS) return null;
  return `The server answered ${status}${typeof body === 'string' && body !== '' ? `: ${body.slice(0, 1_000)}` : ''}`;
}
