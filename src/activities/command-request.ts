import { resolve } from 'node:path';
import { render } from '../plan/evaluate.js';
import type { Template } from '../plan/expression.js';
import { toText } from '../plan/json.js';
import type { CommandStep } from '../plan/step.js';
import type { Store } from '../store/store.js';
import type { CommandCall } from './contract.js';
import { stepFailure } from './failures.js';
import { createScope } from './rendering.js';

/** What a command step asks for, with every value in its place; JSON-safe. What the journal's request hash covers (I8). */
export interface CommandRequest {
  argv: string[];
  /** Absolute. */
  cwd: string;
  /** What the step declares. */
  env: Record<string, string>;
  stdin: string | null;
}

/** Renders a step. Throws `command-refused` for what no system can run, and a `StoreFailure` when a value is missing. */
export async function createCommandRequest(store: Store, call: CommandCall, step: CommandStep): Promise<CommandRequest> {
  const templates = [...step.argv, ...Object.values(step.env), ...[step.cwd, step.stdin].filter((template) => template !== null)];
  const scope = await createScope(store, call.environment, templates);
  const text = (template: Template): string => toText(render(template, scope));
  const argv = step.argv.map(text);
  const env = Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, text(value)]));
  refuseNul([...argv, ...Object.values(env)]);
  return { argv, cwd: resolve(call.workspace, step.cwd === null ? '.' : text(step.cwd)), env, stdin: step.stdin === null ? null : text(step.stdin) };
}

/** The system would end the text there, and so run something else than was written (S21). */
function refuseNul(texts: string[]): void {
  const found = texts.find((text) => text.includes('\0'));
  if (found !== undefined) throw stepFailure('command-refused', `Expected arguments and environment without NUL characters, got \`${found.slice(0, 80).replaceAll('\0', '\\0')}\`.`);
}
