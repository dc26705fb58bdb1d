import type { Connection, InitializeParams, InitializeResult, Position } from 'vscode-languageserver/node';
import {
  createConnection,
  DidChangeWatchedFilesNotification,
  DidChangeWorkspaceFoldersNotification,
  LSPErrorCodes,
  ResponseError,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node';
import { protocolStream } from '../output.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';
import type { Answers } from './answers.js';
import { createAnswers } from './answers.js';
import type { Asking } from './asking.js';
import type { Checks } from './checks.js';
import { createChecks } from './checks.js';
import { toDiagnostic } from './diagnostic.js';
import type { Documents, OpenDocument } from './documents.js';
import { createDocuments, offsetAt, rangeIn } from './documents.js';
import type { Folders } from './folders.js';
import { createFolders, foldersIn } from './folders.js';
import { fixesIn } from './fixes.js';
import { formatDocument } from './formatting.js';
import { completeAt } from './completion.js';
import { hoverAt } from './hover.js';
import { definitionAt, referencesAt, renameAt, symbolsOf } from './navigation.js';

/** Files that definitions are made of: what else changes in a folder says nothing about them. */
const WATCHED = '**/*.{yml,yaml,json,flow,agent,md,toml}';

/** Serves one editor over stdin and stdout until it leaves. Nothing is written, started or connected to. */
export async function serveLsp(terminal: Terminal, version: string): Promise<void> {
  const connection = createConnection(terminal.stdin, protocolStream(terminal.stdout));
  const fail = (error: unknown): void =>
    tell(terminal, `lsp: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  const documents = createDocuments();
  const folders = createFolders();
  const checks = createChecks(
    { documents, folders },
    (uri, diagnostics, of) =>
      void connection.sendDiagnostics({ uri, diagnostics, ...(of === null ? {} : { version: of }) }).catch(fail),
    fail,
  );
  let client: InitializeParams | null = null;

  connection.onInitialize((params): InitializeResult => {
    client = params;
    folders.add(foldersIn(params));
    return {
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        documentFormattingProvider: true,
        documentSymbolProvider: true,
        definitionProvider: true,
        referencesProvider: true,
        renameProvider: true,
        hoverProvider: true,
        codeActionProvider: { codeActionKinds: ['quickfix'] },
        completionProvider: { triggerCharacters: ['{', '.', ':', '[', ' '] },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
      serverInfo: { name: 'perdure', version },
    };
  });
  connection.onInitialized(() => void register(connection, client).catch(fail));

  connection.onDidOpenTextDocument(({ textDocument: { uri, version: of, text } }) =>
    checks.changed(documents.open(uri, of, text)),
  );
  connection.onDidChangeTextDocument(({ textDocument, contentChanges }) => {
    const document = documents.change(textDocument.uri, textDocument.version, contentChanges);
    if (document !== null) checks.changed(document);
  });
  connection.onDidCloseTextDocument(({ textDocument }) => {
    const document = documents.close(textDocument.uri);
    if (document !== null) checks.closed(document);
  });
  connection.onDidSaveTextDocument(() => checks.allChanged());
  connection.onDidChangeWatchedFiles(() => checks.allChanged());
  connection.onNotification(DidChangeWorkspaceFoldersNotification.type, ({ event: { added, removed } }) => {
    folders.add(added.map(({ uri }) => uri));
    folders.remove(removed.map(({ uri }) => uri));
    checks.allChanged();
  });

  const { answer } = createAnswers(documents);
  connection.onDocumentFormatting(
    answer([], (document) =>
      document.path === null ? [] : formatDocument(document, folders.of(document.path), documents),
    ),
  );
  answerAbout(connection, answer, { documents, folders, checks });
  connection.onCodeAction(
    answer([], (document, { range }) =>
      document.path === null ? [] : fixesIn(checks.problemsOf(document).get(document.path) ?? [], range, document.uri),
    ),
  );
  connection.languages.diagnostics.on(
    answer({ kind: 'full' as const, items: [] }, (document) => {
      const own = document.path === null ? undefined : checks.problemsOf(document).get(document.path);
      return { kind: 'full' as const, items: (own ?? []).map(toDiagnostic) };
    }),
  );

  const left = new Promise<void>((resolve) => {
    connection.onShutdown(() => checks.stop());
    connection.onExit(resolve);
    terminal.stdin.once('close', resolve).once('end', resolve);
  });
  connection.listen();
  await left;
  checks.stop();
}

/** Answers what is asked of one place of a text. */
function answerAbout(
  connection: Connection,
  answer: Answers['answer'],
  { documents, folders, checks }: { documents: Documents; folders: Folders; checks: Checks },
): void {
  const at = (document: OpenDocument, position: Position): Asking => ({
    document,
    offset: offsetAt(document.text, position),
    cwd: folders.of(document.path ?? '/'),
    documents,
    read: (text) => checks.documentOf(document, text),
  });
  connection.onCompletion(answer([], (document, { position }) => completeAt(at(document, position))));
  connection.onDefinition(answer([], (document, { position }) => definitionAt(at(document, position))));
  connection.onHover(answer(null, (document, { position }) => hoverAt(at(document, position))));
  connection.onReferences(
    answer([], (document, { position, context }) =>
      referencesAt(at(document, position))
        .filter(({ isDefinition }) => context.includeDeclaration || !isDefinition)
        .map((named) => ({ uri: document.uri, range: rangeIn(named.at) })),
    ),
  );
  connection.onRenameRequest(
    answer(null, (document, { position, newName }) => {
      const edit = renameAt(at(document, position), newName);
      if (typeof edit === 'string') throw new ResponseError(LSPErrorCodes.RequestFailed, edit);
      return edit;
    }),
  );
  connection.onDocumentSymbol(answer([], (document) => symbolsOf(checks.documentOf(document, document.text))));
}

/** Asks to be told of files that change on disk; an editor that cannot tells when it saves one. */
async function register(connection: Connection, client: InitializeParams | null): Promise<void> {
  if (client?.capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration !== true) return;
  await connection.client.register(DidChangeWatchedFilesNotification.type, {
    watchers: [{ globPattern: WATCHED }],
  });
}
