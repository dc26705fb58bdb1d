import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { jsonFault } from '../../plan/values/json-fault.js';
import type { McpServer } from '../../plan/tools/mcp-server.js';
import { callOfRemote } from '../../plan/tools/mcp-server.js';
import type { RemoteTool } from '../../plan/tools/tool.js';
import { McpServerError, maskFor } from '../mcp/open-server.js';
import type { OpenServer } from '../mcp/open-server.js';
import { useServer } from '../mcp/server-pool.js';
import type { Mask } from '../values/mask-secrets.js';
import { maskValue } from '../values/mask-secrets.js';
import type { ToolContext, ToolHandler, ToolRun } from './handler/handler.js';

/** A tool of an MCP server. It is called only while the server lists it as the Plan has it. */
export const callRemote: ToolHandler<RemoteTool> = {
  parallel: true,
  quick: false,
  spec: async (tool, store) => ({
    name: tool.name,
    description: await store.getText(tool.description),
    input_schema: JSON.parse(await store.getText(tool.inputs)) as JsonObject, // canonical JSON of an object
  }),
  effect: ({ reads }) => (reads === true ? 'none' : 'external'),
  action: callOfRemote,
  run: callTool,
};

async function callTool(tool: RemoteTool, args: JsonObject, context: ToolContext): Promise<ToolRun> {
  const { store, signal, workspace, credentials = () => ({}) } = context;
  const server = JSON.parse(await store.getText(tool.connect)) as McpServer; // canonical JSON that the compiler wrote
  let use: Awaited<ReturnType<typeof useServer>>;
  try {
    use = await useServer({ name: tool.server, server, root: workspace, credentials, store: store.id });
  } catch (error) {
    if (error instanceof McpServerError) return failed(error.message);
    throw error;
  }
  const mask = maskFor({ server, credentials });
  let broken = true;
  try {
    const changed = await changeOf(tool, use.server, context);
    const result = changed === null ? await ask(use.server, tool, { args, server, context, mask }) : failed(changed);
    broken = false;
    return result;
  } catch (error) {
    signal.throwIfAborted();
    const why = use.server.fault() ?? (error instanceof Error ? error.message : String(error));
    return failed(`The MCP server \`${tool.server}\` gave no answer: ${mask(why)}`);
  } finally {
    await use.leave(broken);
  }
}

/**
 * Why the tool is not the one that was there when the run was submitted (a description that changes can carry orders);
 * null when it is.
 */
async function changeOf(tool: RemoteTool, server: OpenServer, { store, signal }: ToolContext): Promise<string | null> {
  const listed = (await server.tools(signal)).find(({ name }) => name === tool.remote);
  if (listed === undefined) return `The MCP server \`${tool.server}\` has no tool \`${tool.remote}\` any more.`;
  const same =
    listed.description === (await store.getText(tool.description)) &&
    listed.inputs === (await store.getText(tool.inputs)) &&
    listed.reads === (tool.reads === true);
  return same
    ? null
    : `The tool \`${tool.remote}\` of the MCP server \`${tool.server}\` has changed since the run was submitted, ` +
        `and is not called. A new run takes it as it is now.`;
}

async function ask(
  { client }: OpenServer,
  { remote }: RemoteTool,
  {
    args,
    server,
    context: { signal, progress, traceparent },
    mask,
  }: { args: JsonObject; server: McpServer; context: ToolContext; mask: Mask },
): Promise<ToolRun> {
  const onprogress = ({ message }: { message?: string | undefined }): void => {
    if (message !== undefined) progress['doing'] = mask(message).slice(0, 200);
  };
  const result = await client.callTool(
    { name: remote, arguments: args, ...(traceparent === undefined ? {} : { _meta: { traceparent } }) },
    // What it tells of its progress gives it no more time: the limit is one of the whole call.
    { signal, timeout: server.timeout_ms, onprogress },
  );
  const content = contentOf(result);
  const fault = jsonFault(content);
  if (fault !== null) return failed(`Expected an answer of \`${remote}\` without ${fault}.`);
  return { content: maskValue(content, mask), is_error: result.isError === true };
}

/** Texts as one text; what is no text is named. Data that a server gives beside them says the same. */
function contentOf({ content, structuredContent }: CallToolResult): Json {
  if (content.length === 0 && isObject(structuredContent as Json)) return structuredContent as Json; // it came as JSON
  return content
    .map((block) => {
      switch (block.type) {
        case 'text':
          return block.text;
        case 'resource':
          return 'text' in block.resource
            ? block.resource.text
            : `[${block.resource.uri}: ${block.resource.mimeType ?? 'data'}]`;
        case 'resource_link':
          return `[${block.name}: ${block.uri}]`;
        default:
          return `[${block.type}: ${block.mimeType}]`;
      }
    })
    .join('\n');
}

function failed(content: string): ToolRun {
  return { content, is_error: true };
}
