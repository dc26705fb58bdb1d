import { isAbsolute, resolve } from 'node:path';
import { renderToText } from '../../plan/references/evaluate.js';
import type { Template } from '../../plan/values/expression.js';
import type { CommandStep } from '../../plan/step.js';
import type { Store } from '../../store/store.js';
import type { CommandCall } from '../contract.js';
import { stepFailure } from '../failures.js';
import { createScope } from '../values/template-scope.js';
import { placeOf } from '../../store/folders/places.js';

/** What a command step asks for, with every value in its place; JSON-safe. */
export interface CommandRequest {
  argv: string[];
  /** Absolute. */
  cwd: string;
  /**
   * The same as the journal and later runs know it: where the author wrote no absolute path, it moves with the project.
   */
  place: string;
  /** What the step declares. */
  env: Record<string, string>;
  stdin: string | null;
}

/**
 * Renders a step. Throws `command-refused` for what no system can run, and a `StoreFailure` when a value is missing.
 */
export async function createCommandRequest(
  store: Store,
  call: CommandCall,
  step: CommandStep,
): Promise<CommandRequest> {
  const templates = [
    ...step.argv,
    ...Object.values(step.env),
    ...[step.cwd, step.stdin].filter((template) => template !== null),
  ];
  const scope = await createScope(store, call.environment, templates);
  const text = (template: Template): string => renderToText(template, scope);
  const argv = step.argv.map(text);
  const env = Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, text(value)]));
  refuseNul([...argv, ...Object.values(env)]);
  const written = step.cwd === null ? '.' : text(step.cwd);
  const cwd = resolve(call.workspace, written);
  return {
    argv,
    cwd,
    place: isAbsolute(written) ? written : placeOf(store, cwd),
    env,
    stdin: step.stdin === null ? null : text(step.stdin),
  };
}

/** What is asked for, wherever the project stands: what hashes of it cover. */
export function askedFor({ cwd: _here, ...request }: CommandRequest): Omit<CommandRequest, 'cwd'> {
  return request;
}

/** The system would end the text there, and so run something else than was written. */
function refuseNul(texts: string[]): void {
  const found = texts.find((text) => text.includes('\0'));
  if (found !== undefined)
    throw stepFailure(
      'command-refused',
      `Expected arguments and environment without NUL characters, got ` +
        `\`${found.slice(0, 80).replaceAll('\0', '\\0')}\`.`,
    );
}
