import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import type {
  ClientCapabilities,
  Diagnostic,
  InitializeResult,
  Position,
  ProtocolConnection,
  Range,
} from 'vscode-languageserver/node';
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

/** An editor, as the server sees it. */
export interface Client {
  connection: ProtocolConnection;
  initialized: InitializeResult;
  open: (path: string, text: string, version?: number) => void;
  /** Replaces the whole text. */
  replace: (path: string, text: string, version: number) => void;
  /** Tells of what was typed between two texts, as editors do: the stretch that is not the same. */
  type: (path: string, before: string, after: string, version: number) => void;
  close: (path: string) => void;
  /** Sends all that `send` sends so that the server reads it at once, as what is typed fast or under load. */
  together: (send: () => void) => Promise<void>;
  /** Waits until the server says that no file has a problem. */
  silence: () => Promise<void>;
  /** The newest diagnostics for a version of a text. */
  diagnosticsOf: (path: string, version: number) => Promise<Diagnostic[]>;
  /** What the server has told of all files so far. */
  told: ReadonlyMap<string, { version: number | undefined; diagnostics: Diagnostic[] }>;
  /** What it has written to standard error. */
  stderr: () => string;
  /** Ends it as editors do; its exit code. */
  end: () => Promise<number | null>;
}

/** Starts the real `perdure lsp` and says hello, as an editor that has a folder open. */
export async function startClient(
  folder: string,
  {
    capabilities = {},
    env = {},
    node = [],
  }: { capabilities?: ClientCapabilities; env?: Record<string, string>; node?: string[] } = {},
): Promise<Client> {
  const child = spawn(process.execPath, [...node, MAIN, 'lsp', '--stdio'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const told = new Map<string, { version: number | undefined; diagnostics: Diagnostic[] }>();
  const waiting = new Set<() => void>();
  connection.onNotification('textDocument/publishDiagnostics', (params: Published) => {
    told.set(fileURLToPath(params.uri), { version: params.version, diagnostics: params.diagnostics });
    waiting.forEach((look) => look());
  });
  connection.onRequest('client/registerCapability', () => null);
  connection.listen();
  const uri = pathToFileURL(folder).href;
  const initialized = await connection.sendRequest<InitializeResult>('initialize', {
    processId: process.pid,
    rootUri: uri,
    workspaceFolders: [{ uri, name: 'folder' }],
    capabilities,
  });
  await connection.sendNotification('initialized', {});
  const notify = (method: string, params: object): void => void connection.sendNotification(method, params);
  return {
    connection,
    initialized,
    told,
    stderr: () => stderr,
    open: (path, text, version = 1) =>
      notify('textDocument/didOpen', {
        textDocument: { uri: pathToFileURL(path).href, languageId: 'yaml', version, text },
      }),
    replace: (path, text, version) =>
      notify('textDocument/didChange', {
        textDocument: { uri: pathToFileURL(path).href, version },
        contentChanges: [{ text }],
      }),
    type: (path, before, after, version) =>
      notify('textDocument/didChange', {
        textDocument: { uri: pathToFileURL(path).href, version },
        contentChanges: [changeBetween(before, after)],
      }),
    async together(send) {
      child.kill('SIGSTOP');
      try {
        send();
        // Messages are written in turn, this one last. Servers pass over what they do not know of `$/`.
        await connection.sendNotification('$/written');
      } finally {
        child.kill('SIGCONT');
      }
    },
    close: (path) => notify('textDocument/didClose', { textDocument: { uri: pathToFileURL(path).href } }),
    silence: () =>
      new Promise((resolve) => {
        const look = (): void => {
          if ([...told.values()].some(({ diagnostics }) => diagnostics.length > 0)) return;
          waiting.delete(look);
          told.clear();
          resolve();
        };
        waiting.add(look);
        look();
      }),
    diagnosticsOf: (path, version) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const now = told.get(path);
          if (now?.version !== version) return;
          waiting.delete(look);
          resolve(now.diagnostics);
        };
        waiting.add(look);
        void closed.then(() => reject(new Error(`the server has ended: ${stderr}`)));
        look();
      }),
    async end() {
      await connection.sendRequest('shutdown');
      await connection.sendNotification('exit');
      await closed;
      return child.exitCode;
    },
  };
}

interface Published {
  uri: string;
  version?: number;
  diagnostics: Diagnostic[];
}

/** The one change that makes a text another one. */
function changeBetween(before: string, after: string): { range: Range; text: string } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  // No position is inside of a line's end.
  if (before[start - 1] === '\r' || after[start - 1] === '\r') start -= 1;
  let same = 0;
  while (same < most - start && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  if (before.at(-same) === '\n' || after.at(-same) === '\n') same = Math.max(0, same - 1);
  const range = { start: positionOf(before, start), end: positionOf(before, before.length - same) };
  return { range, text: after.slice(start, after.length - same) };
}

function positionOf(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}
