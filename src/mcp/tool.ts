import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import { safeParse } from 'zod';
import type { z } from 'zod';
import { withoutUnsaid } from '../plan/tools/unsaid.js';
import type { Json, JsonObject } from '../plan/values/json.js';
import { isObject } from '../plan/values/json.js';
import { ownOf } from '../plan/values/own.js';
import { safeJson } from '../cli/text/safe-text.js';
import type { Connection } from './connection.js';
import { clientOf } from './connection.js';
import { errorText, McpRefusal } from './errors.js';
import { createProgress } from './progress.js';
import type { Progress } from './progress.js';

/** One call of a tool. */
export interface ToolCall {
  connection: Connection;
  /** Aborts when the client cancels the call or leaves; a run goes on. */
  signal: AbortSignal;
  /** Tells the client how it goes, where it asked for that. */
  progress: Progress;
  /** Name of the client, as it says itself: `mcp:claude-code`. */
  by: string;
  /** What the client's person answered to what was asked before, by key; untrusted. */
  answers: Record<string, unknown> | undefined;
  /** Whether the client can ask its person. */
  canAsk: boolean;
}

/** A tool as one declarative piece: the same operation as a command of the CLI. */
export interface McpTool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  annotations: ToolAnnotations;
  run(input: z.infer<Input>, call: ToolCall): Promise<JsonObject | Json[] | InputRequiredResult>;
}

/** Gives `run` its input as the tool's own schema types it, by which it is parsed before. */
export function defineTool<Input extends z.ZodObject>(tool: McpTool<Input>): McpTool {
  return tool;
}

/**
 * Registers tools under our names, and under their `glee_` names, by which they may always be called. Listed are those
 * with `glee` alone: each name is a schema more that clients put before their models.
 */
export function registerTools(
  server: McpServer,
  tools: readonly McpTool[],
  { connection, glee }: { connection: Connection; glee: boolean },
): void {
  for (const tool of tools)
    for (const name of [tool.name, `glee_${tool.name}`]) {
      const { title, description, input, annotations } = tool;
      server.registerTool(name, { title, description, inputSchema: unchecked(input), annotations }, (given, context) =>
        answer(tool, given, { server, context, connection }),
      );
    }
  if (glee) return;
  // In the place of the SDK's, which lists all that can be called.
  server.server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ name, title, description, input, annotations }) => ({
      name,
      title,
      description,
      inputSchema: { ...input['~standard'].jsonSchema.input({ target: 'draft-2020-12' }), type: 'object' as const },
      annotations,
    })),
  }));
}

/** The schema as clients are told it. What is given is checked here: the SDK's sentence for it is a dump of zod's. */
function unchecked(input: z.ZodObject): StandardSchemaWithJSON {
  return { '~standard': { ...input['~standard'], validate: (value: unknown) => ({ value }) } };
}

interface Calling {
  server: McpServer;
  context: ServerContext;
  connection: Connection;
}

async function answer(
  tool: McpTool,
  given: unknown,
  { server, context, connection }: Calling,
): Promise<CallToolResult | InputRequiredResult> {
  const { progress, told } = createProgress(context);
  try {
    const client = clientOf(server, context);
    const call: ToolCall = {
      connection,
      signal: context.mcpReq.signal,
      progress,
      by: client.name,
      canAsk: client.canAsk,
      answers: context.mcpReq.inputResponses,
    };
    const result = await tool.run(parse(tool, given), call);
    return isInputRequired(result) ? result : toResult(result);
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: await errorText(error) }] };
  } finally {
    // Clients hear nothing of a request any more once they have its result.
    await told();
  }
}

function parse({ name, input }: McpTool, given: unknown): z.infer<z.ZodObject> {
  const args = (given ?? {}) as Json; // what came over the protocol is JSON
  const parsed = input.safeParse(isObject(args) ? withoutUnsaid(args, (key) => mayBeLeftOut(input, key)) : args);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const where = first === undefined || first.path.length === 0 ? '' : ` \`${first.path.map(String).join('.')}\``;
  throw new McpRefusal(
    first?.code === 'unrecognized_keys'
      ? `The tool \`${name}\` takes no ${first.keys.map((key) => `\`${key}\``).join(', ')}; it takes ${Object.keys(
          input.shape,
        )
          .map((key) => `\`${key}\``)
          .join(', ')}.`
      : `Expected${where} of the tool \`${name}\` to be ${first?.message ?? 'something else'}.`,
  );
}

function mayBeLeftOut({ shape }: z.ZodObject, name: string): boolean {
  const member = ownOf<z.core.$ZodType>(shape, name);
  return member !== undefined && safeParse(member, undefined).success && !safeParse(member, null).success;
}

function isInputRequired(result: JsonObject | Json[] | InputRequiredResult): result is InputRequiredResult {
  return 'resultType' in result && result['resultType'] === 'input_required';
}

/** An answer twice: structured for programs, and as text for clients that read text only. */
function toResult(result: JsonObject | Json[]): CallToolResult {
  // What is structured is a map in every revision of the protocol.
  return {
    structuredContent: Array.isArray(result) ? { result } : result,
    content: [{ type: 'text', text: safeJson(result, 2) }],
  };
}
