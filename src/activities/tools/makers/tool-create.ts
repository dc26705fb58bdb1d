import { z } from 'zod';
import type { JsonObject } from '../../../plan/values/json.js';
import type { MakerTool } from '../../../plan/tools/tool.js';
import type { ToolMade } from '../../../plan/agents/made-definition.js';
import type { MadeEntry } from '../../made/registry.js';
import { inTurn } from '../../made/registry.js';
import type { Making, ToolContext, ToolHandler, ToolRun } from '../handler/handler.js';
import { makeOnce, makingIn } from './making.js';

const MOST_CHARACTERS = 50_000;

const input = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(200)
    .describe('Its name: a letter, then letters, digits, _ or -. No other tool or agent may have it.'),
  definition: z
    .union([z.record(z.string(), z.unknown()), z.string().max(MOST_CHARACTERS)])
    .describe(
      'The rest of its tool.yml, as a map or as YAML: description, kind (command or http), version, inputs: ' +
        '{schema}, outputs: {format}, exec: {command: {entrypoint, args, stdin}} or exec: {http: {method, url, ' +
        'headers, query, body}}. `${name}` in exec is an input.',
    ),
});

const { $schema: _dialect, ...schema } = z.toJSONSchema(input) as JsonObject; // zod makes plain JSON

/**
 * `tool_create`: makes a tool for this conversation. Nothing is written; a person who wants to keep it saves
 * the text that was approved.
 */
export const toolCreate: ToolHandler<MakerTool> = {
  parallel: false,
  quick: true,
  effect: () => 'none',
  spec: ({ name }) =>
    Promise.resolve({
      name,
      description:
        'Makes a tool for the rest of this conversation: a program or a request with its arguments written down ' +
        'once. It can do no more than your own `shell` and `http_request`. You have it from your next turn on. ' +
        'Returns its name.',
      input_schema: schema,
    }),
  async action(_tool, args, workspace, making) {
    const parsed = input.safeParse(args);
    if (!parsed.success || making === undefined) return { invalid: 'Expected `name` and `definition`.' };
    const made = await compiled(args, making, workspace);
    return 'problems' in made
      ? { invalid: made.problems }
      : { kind: 'make', what: 'tool', name: parsed.data.name, content: await making.store.put(made.text) };
  },
  async run(_tool, args, context) {
    const making = makingIn(context);
    return inTurn(making.scope, () => make(args, context, making));
  },
};

/** `args` fit the schema. */
function compiled(args: JsonObject, { compileTool, maker, plan }: Making, workspace: string): Promise<ToolMade> {
  if (compileTool === undefined) return Promise.resolve({ problems: 'This worker cannot make tools.' });
  const request = args as { name: string; definition: JsonObject | string };
  return compileTool(request, { maker, taken: Object.values(plan.agents).map((agent) => agent.name) }, workspace);
}

function make(args: JsonObject, context: ToolContext, making: Making): Promise<ToolRun> {
  const toMake = {
    kind: 'tool' as const,
    name: String(args['name']),
    // Tools of other conversations are not known in this one; its own are tools of the maker, whose names the compiler
    // refuses.
    isTaken: ({ kind, call }: MadeEntry) => kind !== 'tool' || call === (context.call ?? ''),
    make: () => compiled(args, making, context.workspace),
  };
  return makeOnce(toMake, context, making);
}
