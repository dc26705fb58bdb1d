import type { Json, JsonObject } from '../../../plan/values/json.js';
import { toText } from '../../../plan/values/json.js';
import type { DefinedTool } from '../../../plan/tools/tool.js';
import type { Store } from '../../../store/store.js';
import { checkOutput, checkValue } from '../../values/output-schema.js';
import { failed, ok } from '../handler/builtin.js';
import type { ToolContext, ToolHandler, ToolRun } from '../handler/handler.js';
import type { ToolSpec } from '../../models/protocol/message.js';
import { WebRefusal } from '../web/fetch.js';
import type { ToolDefinition } from './definition.js';
import { readDefinition } from './definition.js';
import type { Values } from './fill.js';
import { FillRefusal } from './fill.js';
import { callHttp } from './http.js';
import type { ToolCall } from './program.js';
import { callCommand, callPython } from './program.js';
import { maskValue } from '../../values/mask-secrets.js';
import { maskedLog, readSecrets } from './secrets.js';

/**
 * Tools that `tool.yml` files define. Whether a person is asked before, their file says: it stands in the permissions.
 */
export const defined: ToolHandler<DefinedTool> = {
  parallel: true,
  quick: false,
  spec: specOf,
  effect: ({ effect }) => effect,
  action: ({ name }) => ({ kind: 'call', what: 'tool', name }),
  run: runDefined,
};

/** How a tool that a file defines is told to a model. */
export async function specOf(
  { name, description, inputs }: Pick<DefinedTool, 'name' | 'description' | 'inputs'>,
  store: Pick<Store, 'getText'>,
): Promise<ToolSpec> {
  return {
    name,
    description: await store.getText(description),
    input_schema: JSON.parse(await store.getText(inputs)) as JsonObject,
  }; // the compiler wrote a schema
}

async function runDefined(tool: DefinedTool, args: JsonObject, context: ToolContext): Promise<ToolRun> {
  const definition = await readDefinition(tool, context.store);
  const checked = checkValue(args, definition.inputs.schema);
  if ('errors' in checked) return failed(`The input does not fit: ${checked.errors.join('; ')}`);
  const secrets = readSecrets(definition);
  if (secrets.missing.length > 0)
    return failed(
      `The tool needs ${secrets.missing.map((name) => `\`${name}\``).join(', ')} in the environment of the ` +
        `worker, which is not there.`,
    );
  const { log, flush } = maskedLog(context.log, secrets);
  const values: Values = new Map<string, Json>([...Object.entries(args), ...secrets.values]);
  try {
    const given = await act({ tool, definition, values, context: { ...context, log }, mask: secrets.mask });
    const output = outputOf(definition, given);
    if ('value' in output) return ok(maskValue(output.value, secrets.mask));
    // What is said of a text that is no JSON quotes a piece of it.
    const told = outputOf(definition, 'text' in given ? { text: secrets.mask(given.text) } : given);
    const errors = 'errors' in told ? told.errors : output.errors;
    return failed(secrets.mask(`The tool's output is not as its file says: ${errors.join('; ')}`));
  } catch (error) {
    if (error instanceof FillRefusal || error instanceof WebRefusal) return failed(secrets.mask(error.message));
    throw error;
  } finally {
    flush();
  }
}

async function act(call: ToolCall): Promise<{ text: string } | { value: Json }> {
  const { kind, exec } = call.definition;
  if (kind === 'http' && exec.http !== undefined) return callHttp(call, exec.http);
  if (kind === 'command' && exec.command !== undefined) return callCommand(call, exec.command);
  if (kind === 'python' && exec.python !== undefined) return callPython(call, exec.python);
  throw new FillRefusal(`The tool \`${call.tool.name}\` does not say how it acts.`);
}

/** What the tool gave in the form that its file promises. */
export function outputOf(
  { outputs: { format, schema } }: ToolDefinition,
  given: { text: string } | { value: Json },
): { value: Json } | { errors: string[] } {
  if ('text' in given) return format === 'text' ? { value: given.text } : checkOutput(given.text, schema ?? {});
  const checked = checkValue(given.value, format === 'text' ? {} : (schema ?? {}));
  return 'value' in checked && format === 'text' ? { value: toText(checked.value) } : checked;
}
