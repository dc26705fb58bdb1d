import { resolve } from 'node:path';
import type { JsonSchemaValidator, Transport, jsonSchemaValidator } from '@modelcontextprotocol/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { canonicalJson } from '../../plan/values/json.js';
import type { Json } from '../../plan/values/json.js';
import type { ListedTool, McpServer } from '../../plan/tools/mcp-server.js';
import { filledValues, secretsIn, valuesOf } from '../../plan/tools/mcp-server.js';
import { commandEnvironment } from '../processes/command-environment.js';
import type { Credentials } from '../dependencies.js';
import { resolveExecutable } from '../processes/executable.js';
import { createOutputCapture } from '../processes/output-capture.js';
import { announceCommand } from '../processes/announced-commands.js';
import { runTag } from '../processes/tagged-processes.js';
import { TOO_LONG, boundedFetch } from './message-bound.js';
import type { Mask } from '../values/mask-secrets.js';
import { maskOf } from '../values/mask-secrets.js';
import { startOf, wordsOf } from './package-runners.js';
import { processTransport } from './process-transport.js';

/** What is needed to reach a server beside its config. */
export interface ServerPlace {
  /** As `perdure.yml` calls it. */
  name: string;
  server: McpServer;
  /** The project's root, which relative paths start from. */
  root: string;
  credentials: Credentials;
  /** The store's id: whose the process is. */
  store: string;
}

/** A server cannot be used; says why in one sentence. */
export class McpServerError extends Error {
  override readonly name = 'McpServerError';
}

/** A server that answers. */
export interface OpenServer {
  client: Client;
  /** Asks the server for its tools, each time anew. */
  tools: (signal?: AbortSignal) => Promise<ListedTool[]>;
  /** Tells whether the server still answers; false once its process or its connection has ended. */
  isOpen: () => boolean;
  /** Why we gave it up, where we did. */
  fault: () => string | null;
  /** Ends it with all that it has started. */
  close: () => Promise<void>;
}

const CONNECT_MS = 30_000;
/** What is kept of what a server says when it fails. */
const SAID_BYTES = 1_200;

/**
 * What a server answers is not held against the schema that it gives for it: that takes as long as the server likes.
 */
const UNCHECKED: jsonSchemaValidator = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    // Who asks for a `T` is the SDK, which passes on what came as it came.
    (data) => ({ valid: true, data: data as T, errorMessage: undefined }),
};

/** Starts or reaches a server. Throws an McpServerError. */
export async function openServer(place: ServerPlace): Promise<OpenServer> {
  try {
    return await connect(place, 'auto');
  } catch (error) {
    // Servers of before 2026 may end when they are asked what they do not know.
    if (place.server.kind === 'http' || error instanceof McpServerError) throw told(place, error);
    return connect(place, 'legacy').catch((second: unknown) => Promise.reject(told(place, second)));
  }
}

function told(place: ServerPlace, error: unknown): McpServerError {
  if (error instanceof McpServerError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new McpServerError(`The MCP server \`${place.name}\` cannot be used: ${maskFor(place)(why)}`);
}

/** Takes the secrets of a server out of what it says, and out of what is said of its requests (I13). */
export function maskFor({ server, credentials }: Pick<ServerPlace, 'server' | 'credentials'>): Mask {
  return maskOf(secretsIn(valuesOf(server), credentials()));
}

async function connect(place: ServerPlace, mode: 'auto' | 'legacy'): Promise<OpenServer> {
  let fault: string | null = null;
  const onTooLong = (): void => {
    fault = TOO_LONG;
    isOpen = false;
    void client.close().catch(() => undefined);
  };
  const { transport, said, release } =
    place.server.kind === 'stdio'
      ? startProcess(place, place.server, onTooLong)
      : reachUrl(place, place.server, onTooLong);
  const client = new Client(
    { name: 'perdure', version: '1' },
    { versionNegotiation: { mode }, capabilities: {}, jsonSchemaValidator: UNCHECKED },
  );
  let isOpen = true;
  client.onclose = () => {
    isOpen = false;
  };
  const close = async (): Promise<void> => {
    isOpen = false;
    await client.close().catch(() => undefined);
    await transport.close();
    release();
  };
  try {
    await client.connect(transport, { timeout: Math.min(CONNECT_MS, place.server.timeout_ms) });
  } catch (error) {
    await close();
    if (fault !== null) throw new Error(fault);
    const words = said().trim();
    throw words === ''
      ? error
      : new Error(`${error instanceof Error ? error.message : String(error)}; it said: ${words}`);
  }
  return {
    client,
    isOpen: () => isOpen,
    fault: () => fault,
    close,
    tools: (signal) => listTools(client, place, signal),
  };
}

interface Reached {
  transport: Transport;
  /** What it wrote to stderr. */
  said: () => string;
  release: () => void;
}

function startProcess(
  place: ServerPlace,
  { argv: [program = '', ...args], env: declared, cwd }: McpServer & { kind: 'stdio' },
  onTooLong: () => void,
): Reached {
  const start = startOf(program, args);
  if ('refused' in start) throw new McpServerError(`The MCP server \`${place.name}\` is not started: ${start.refused}`);
  const command = announceCommand();
  try {
    const env = commandEnvironment(
      { ...start.env, ...filledFor(place, declared) },
      runTag({ store: place.store, worker: process.pid, command: command.number, run: `mcp:${place.name}` }),
    );
    const folder = resolve(place.root, cwd ?? '.');
    const [file, ...words] = wordsOf(resolveExecutable(program, folder, env['PATH'] ?? ''), start);
    const said = createOutputCapture(SAID_BYTES, maskFor(place));
    const transport = processTransport({
      file,
      args: words,
      cwd: folder,
      env,
      onTooLong,
      onStderr: (chunk) => said.add(chunk),
    });
    return { transport, said: () => said.text(), release: command.release };
  } catch (error) {
    command.release();
    throw told(place, error);
  }
}

function reachUrl(place: ServerPlace, { url, headers }: McpServer & { kind: 'http' }, onTooLong: () => void): Reached {
  const requestInit = { headers: filledFor(place, headers), redirect: 'error' as const };
  return {
    transport: new StreamableHTTPClientTransport(new URL(url), { requestInit, fetch: boundedFetch(onTooLong) }),
    said: () => '',
    release: () => undefined,
  };
}

function filledFor({ name, credentials }: ServerPlace, values: Record<string, string>): Record<string, string> {
  const filled = filledValues(values, credentials());
  if ('missing' in filled)
    throw new McpServerError(`The MCP server \`${name}\` needs the variable \`${filled.missing}\`, which is not set.`);
  return filled.values;
}

async function listTools(client: Client, { server }: ServerPlace, signal?: AbortSignal): Promise<ListedTool[]> {
  const { tools } = await client.listTools(undefined, {
    cacheMode: 'bypass',
    timeout: server.timeout_ms,
    ...(signal === undefined ? {} : { signal }),
  });
  return tools.map(({ name, description = '', inputSchema, annotations }) => ({
    name,
    description,
    inputs: canonicalJson(inputSchema as Json), // it came as JSON
    reads: annotations?.readOnlyHint === true,
  }));
}
