import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Terminal } from '../cli/terminal.js';
import { tell } from '../cli/terminal.js';
import { createConnection } from './connection.js';
import { registerTools } from './tool.js';
import { TOOLS } from './tools/index.js';

export interface ServeOptions {
  terminal: Terminal;
  version: string;
  /** Who decides what the client asks its person. */
  person: string;
  /** How long a tool waits for a run, in milliseconds. */
  waitMs: number;
  /** Above so many US dollars the person is asked before a run is started; null for never. */
  askAbove: number | null;
  /** Each tool is also listed by its name with `glee_` before it. */
  glee: boolean;
}

const INSTRUCTIONS = [
  'Perdure runs agents and workflows durably: a run survives crashes, and goes on when this connection ends.',
  '`task` gives an agent a task, `workflow` runs a workflow, `tool` calls a tool; what takes long gives a ' +
    'handle for `run_wait` and `run_status`.',
  'A run may wait for a decision: `gate_answer` asks the person, or says how a person decides elsewhere. You ' +
    'decide yourself only where a gate names you as its approver.',
].join(' ');

/** Serves one client over stdin and stdout until it leaves. Runs that it started go on. */
export async function serveMcp({ terminal, version, person, waitMs, askAbove, glee }: ServeOptions): Promise<void> {
  // Stdout is the protocol: whatever else is said goes to stderr.
  const connection = createConnection({
    terminal: { ...terminal, stdout: terminal.stderr, interactive: false },
    person,
    waitMs,
    askAbove,
  });
  const left = new Promise<void>((resolve) => terminal.stdin.once('close', resolve).once('end', resolve));
  const handle = serveStdio(
    () => {
      const server = new McpServer({ name: 'perdure', title: 'Perdure', version }, { instructions: INSTRUCTIONS });
      registerTools(server, TOOLS, { connection, glee });
      return server;
    },
    { onerror: (error) => tell(terminal, `mcp: ${saidOf(error)}`) },
  );
  await left;
  await handle.close();
}

/** One sentence: a line that is no message makes an error that lists all that each kind of message lacks. */
function saidOf(error: Error): string {
  return error.name.endsWith('ZodError') ? 'Expected a message of JSON-RPC on each line, got another.' : error.message;
}
