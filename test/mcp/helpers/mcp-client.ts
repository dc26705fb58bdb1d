import { Client } from '@modelcontextprotocol/client';
import type { ClientOptions, VersionNegotiationOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../src/plan/values/json.js';

/** What a busy machine takes for a call, in milliseconds: the SDK gives up after one minute. */
export const PATIENCE = { timeout: 280_000 };

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

export interface McpOptions {
  env?: Record<string, string>;
  args?: string[];
  /** What it calls itself; `test-client` by default. */
  name?: string;
  mode?: NonNullable<VersionNegotiationOptions['mode']>;
  /** The person at the client: what they say to what they are shown. Without one the client cannot ask. */
  person?: (message: string) => boolean;
}

/** A real client on `perdure mcp` in a folder. */
export interface McpClient {
  client: Client;
  /** Calls a tool that must give a result. */
  call: (name: string, input?: JsonObject, onProgress?: (message: string) => void) => Promise<JsonObject>;
  /** Calls a tool that must refuse, and gives what it says. */
  refusal: (name: string, input?: JsonObject) => Promise<string>;
  stderr: () => string;
  pid: number;
  close: () => Promise<void>;
}

export async function openMcp(
  folder: string,
  { env = {}, args = [], name = 'test-client', mode = 'legacy', person }: McpOptions = {},
): Promise<McpClient> {
  const kept = Object.fromEntries(
    ['PATH', 'HOME', 'PERDURE_TEMPORAL_BIN', 'PERDURE_TEST_RUN'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    cwd: folder,
    env: { ...kept, ...env },
    stderr: 'pipe',
  });
  const options: ClientOptions = {
    versionNegotiation: { mode },
    ...(person === undefined ? {} : { capabilities: { elicitation: { form: {} } } }),
  };
  const client = new Client({ name, version: '1.0.0' }, options);
  if (person !== undefined)
    client.setRequestHandler('elicitation/create', ({ params: { message } }) => ({
      action: 'accept',
      content: { decide: person(message) },
    }));
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  await client.connect(transport, PATIENCE);
  const listeners = new Set<(message: string) => void>();
  const take = transport.onmessage;
  // Heard here: the client drops progress that comes in one piece with the result of its call.
  transport.onmessage = (message) => {
    if ('method' in message && message.method === 'notifications/progress')
      for (const hear of listeners) hear(String(message.params?.['message']));
    take?.(message);
  };
  const ask = async (name: string, input: JsonObject, onProgress?: (message: string) => void) => {
    if (onProgress === undefined) return client.callTool({ name, arguments: input }, PATIENCE);
    listeners.add(onProgress);
    return client
      .callTool({ name, arguments: input }, { ...PATIENCE, onprogress: () => undefined })
      .finally(() => listeners.delete(onProgress));
  };
  return {
    client,
    async call(name, input = {}, onProgress) {
      const { isError, structuredContent, content } = await ask(name, input, onProgress);
      if (isError === true || structuredContent === undefined) throw new Error(`${name}: ${JSON.stringify(content)}`);
      return structuredContent as JsonObject; // the server's answers are JSON
    },
    async refusal(name, input = {}) {
      const { isError, content } = await ask(name, input);
      const [first] = content;
      if (isError !== true || first?.type !== 'text')
        throw new Error(`${name} was not refused: ${JSON.stringify(content)}`);
      return first.text;
    },
    stderr: () => stderr,
    pid: transport.pid ?? 0,
    close: () => client.close(),
  };
}
