import type { Json, JsonObject } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import type { CustomTool, Tool } from '../../../plan/tools/tool.js';
import { failed, ok } from '../handler/builtin.js';
import { outputOf, specOf } from '../defined/defined.js';
import type { ToolDefinition } from '../defined/definition.js';
import { FillRefusal, fillArgument, fillText } from '../defined/fill.js';
import { parseAnswer, requestOf, taken } from '../defined/http.js';
import type { ToolHandler, ToolRun } from '../handler/handler.js';
import { shell } from '../shell/shell.js';
import { WebRefusal } from '../web/fetch.js';
import { httpRequest } from '../web/http-request.js';
import type { Store } from '../../../store/store.js';

type BuiltinCall = Extract<Tool, { kind: 'builtin' }>;

const MS = 1000;

/**
 * A tool that an agent made: another spelling of a call of `shell` or `http_request`. It is judged as that call, and
 * made as that call, so it never does what its caller could not do without it. No person wrote it, whatever it says.
 */
export const custom: ToolHandler<CustomTool> = {
  parallel: false,
  quick: false,
  spec: specOf,
  effect: ({ through }) => (through === 'shell' ? 'workspace' : 'external'),
  async action(tool, args, workspace, making) {
    if (making === undefined) return { invalid: 'The tool was made in another conversation.' };
    try {
      return await handlerFor(tool).action(
        spelledFor(tool),
        callOf(await definitionOf(tool, making.store), args),
        workspace,
      );
    } catch (error) {
      if (error instanceof FillRefusal) return { invalid: error.message };
      throw error;
    }
  },
  async run(tool, args, context) {
    const definition = await definitionOf(tool, context.store);
    try {
      const run = await handlerFor(tool).run(spelledFor(tool), callOf(definition, args), context);
      return run.is_error ? run : outcomeOf(definition, run);
    } catch (error) {
      if (error instanceof FillRefusal || error instanceof WebRefusal) return failed(error.message);
      throw error;
    }
  },
};

/** What the program of a call reads; absent where that is nothing. */
export async function stdinOf(tool: CustomTool, args: JsonObject, store: Store): Promise<string | undefined> {
  const stdin = callOf(await definitionOf(tool, store), args)['stdin'];
  return typeof stdin === 'string' ? stdin : undefined;
}

/** The tool that it is another spelling of, in the folder of its maker's. */
function spelledFor({ root }: CustomTool): BuiltinCall {
  return { kind: 'builtin', name: 'shell', ...(root === undefined ? {} : { root }) };
}

function handlerFor({ through }: CustomTool): typeof shell {
  return through === 'shell' ? shell : httpRequest;
}

async function definitionOf({ definition }: CustomTool, store: Store): Promise<ToolDefinition> {
  return JSON.parse(await store.getText(definition)) as ToolDefinition; // the compiler wrote it
}

/** The call that it stands for. Values are put in once, as data (I4). */
function callOf({ exec: { command, http } }: ToolDefinition, args: JsonObject): JsonObject {
  const values = new Map<string, Json>(Object.entries(args));
  if (command !== undefined) {
    const { entrypoint, args: words = [], cwd, stdin, timeout_ms: limit } = command;
    return {
      argv: [entrypoint, ...words.map((word) => fillArgument(word, values))],
      ...(cwd === undefined ? {} : { cwd: fillText(cwd, values) }),
      ...(stdin === undefined ? {} : { stdin: fillText(stdin, values) }),
      ...(limit === undefined ? {} : { timeout_s: Math.max(1, Math.ceil(limit / MS)) }),
    };
  }
  if (http === undefined) throw new FillRefusal('The tool does not say how it acts.');
  const { method, url, headers, body } = requestOf(http, values);
  return { method, url, headers, ...(body === null ? {} : { body }) };
}

/** What its definition says of success and form. */
function outcomeOf(definition: ToolDefinition, { content }: ToolRun): ToolRun {
  const {
    exec: { command, http },
  } = definition;
  const given = isObject(content) ? content : {};
  if (command !== undefined) {
    if (!(command.exit_codes_ok ?? [0]).includes(Number(given['exit_code'])))
      return failed(`exit ${String(given['exit_code'])}: ${String(given['stderr'] || given['stdout'])}`);
    return told(definition, { text: String(given['stdout']).replace(/\r?\n$/, '') });
  }
  const body = String(given['body']);
  if (Number(given['status']) >= 400)
    return failed(`The server answered ${String(given['status'])}: ${body.slice(0, 1_000)}`);
  if (http?.response === undefined) return told(definition, { text: body });
  return told(definition, { value: taken(parseAnswer(body), http.response) });
}

function told(definition: ToolDefinition, given: { text: string } | { value: Json }): ToolRun {
  const output = outputOf(definition, given);
  return 'errors' in output
    ? failed(`The tool's output is not as its definition says: ${output.errors.join('; ')}`)
    : ok(output.value);
}
