import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { safeName } from '../cli/text/safe-text.js';
import type { RunForecasts } from '../cli/forecast/run-forecasts.js';
import { createRunForecasts } from '../cli/forecast/run-forecasts.js';
import { openSession } from '../cli/session.js';
import type { Session } from '../cli/session.js';
import type { Terminal } from '../cli/terminal.js';
import type { Made } from './made.js';
import { createMade } from './made.js';

/** What a server knows as long as its one client stays. */
export interface Connection {
  /** Its stdout is stderr: the real one is the protocol. */
  terminal: Terminal;
  /** The person at whose computer this is: who decides what the client asks its person. */
  person: string;
  /** How long a tool waits for a run before it gives a handle, in milliseconds. */
  waitMs: number;
  /** US dollars: before a run that may cost more is started, the person is asked. Null where they never are. */
  askAbove: number | null;
  /** Definitions that the client made; they end with the connection. */
  made: Made;
  /** Runs that it started. */
  runs: Set<string>;
  /** Texts that it gave to runs: it must not approve them. */
  given: Set<string>;
  /** The project's store and the way to Temporal, opened once. */
  session(): Promise<Session>;
  /** What its closed runs tell of others. */
  forecasts(): Promise<RunForecasts>;
}

/** A connection of its own: nothing that it makes is seen by another. */
export function createConnection({
  terminal,
  person,
  waitMs,
  askAbove,
}: Pick<Connection, 'terminal' | 'person' | 'waitMs' | 'askAbove'>): Connection {
  let session: Promise<Session> | null = null;
  let forecasts: RunForecasts | null = null;
  const open = (): Promise<Session> => {
    session ??= openSession(terminal, { taskQueue: null }).catch((error: unknown) => {
      session = null;
      throw error;
    });
    return session;
  };
  return {
    terminal,
    person,
    waitMs,
    askAbove,
    made: createMade(),
    runs: new Set(),
    given: new Set(),
    session: open,
    forecasts: async () => (forecasts ??= createRunForecasts(await open(), terminal.env)),
  };
}

/** Longest name of a client that is shown. */
const NAME_CHARACTERS = 80;

/** What the two keys of a request's envelope hold, as far as it is used. */
const clientInfo = z.object({ name: z.string() });
const capabilities = z.object({ elicitation: z.object({ form: z.unknown().optional(), url: z.unknown().optional() }) });

/** What a client says of itself, in each revision of the protocol at its own place. */
export function clientOf({ server }: McpServer, { mcpReq }: ServerContext): { name: string; canAsk: boolean } {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {};
  const info = clientInfo.safeParse(envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion());
  const can = capabilities.safeParse(envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities());
  const name = safeName(info.data?.name ?? '').slice(0, NAME_CHARACTERS);
  // A client that says of no way that it can ask in it shows forms.
  const { form, url } = can.data?.elicitation ?? { url: {} };
  return { name: `mcp:${name === '' ? 'unknown' : name}`, canAsk: form !== undefined || url === undefined };
}
