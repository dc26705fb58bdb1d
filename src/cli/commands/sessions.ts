import type { Session } from '../../store/records/session-files.js';
import type { Store } from '../../store/store.js';
import type { CommandSpec, Invocation } from '../command.js';
import { JSON_OPTION, checkWords } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';

export const sessions: CommandSpec = {
  name: 'sessions',
  summary: 'conversations that runs go on with: list, show, copy, import',
  arguments: [
    { syntax: '<action>', about: 'what to do', choices: ['list', 'show', 'fork', 'import'] },
    { syntax: '[session]', about: 'the session to show or to copy: `task-` and 8 digits; or the folder to import' },
  ],
  options: [{ flags: '--dry-run', about: 'of `import`: say what would be imported, and write nothing' }, JSON_OPTION],
  examples: [
    'perdure sessions list',
    'perdure sessions show task-a1b2c3d4',
    'perdure sessions fork task-a1b2c3d4',
    'perdure sessions import .glee/agent_sessions --dry-run',
  ],
  async run({ arguments: words, options, terminal }) {
    const [action, id] = words;
    checkWords('sessions', words, { list: 0 });
    const { openSession } = await import('../session.js');
    const { sessionLines, sessionRows } = await import('../render/sessions.js');
    const { removeExpired } = await import('../submit/conversation.js');
    if (action === 'import') return importFrom(id, { options, terminal });
    const { store, config } = await openSession(terminal, { taskQueue: null, lookOnly: true });
    await removeExpired(store, config.sessions?.expire_days);
    if (action === 'list') return tellSessions(await store.listSessions(), sessionRows, { options, terminal });
    const session = id === undefined ? null : await store.readSession(id);
    if (session === null)
      throw usageError(
        id === undefined ? 'Expected the id of a session.' : `Session not found: ${id}`,
        '`perdure sessions list` shows those that are kept.',
      );
    if (action === 'show') {
      if (options.flag('json')) printJson(terminal, { ...session });
      else print(terminal, sessionLines(session));
      return EXIT.success;
    }
    const { answeredMessages } = await import('../../store/records/session-files.js');
    const messages = await answeredMessages(session.messages, store);
    const copy = await fork({ ...session, messages }, store);
    tellLeft(session.messages.length - messages.length, terminal);
    if (options.flag('json')) printJson(terminal, { session_id: copy, forked_from: session.session_id });
    else print(terminal, copy);
    return EXIT.success;
  },
};

/** Imports sessions of Glee; exit code 1 where one of them could not be. */
async function importFrom(
  place: string | undefined,
  { options, terminal }: Pick<Invocation, 'options' | 'terminal'>,
): Promise<ExitCode> {
  if (place === undefined)
    throw usageError('Expected a folder with sessions of Glee.', 'Glee keeps them in `.glee/agent_sessions`.');
  const { openSession } = await import('../session.js');
  const { importSessions, sessionFiles } = await import('../sessions/import-sessions.js');
  const dryRun = options.flag('dry-run');
  sessionFiles(place, terminal.cwd); // throws before anything is made
  const { store } = await openSession(terminal, { taskQueue: null, lookOnly: dryRun });
  const results = await importSessions(place, { store, cwd: terminal.cwd, dryRun });
  if (options.flag('json'))
    printJson(
      terminal,
      results.map((result) => ({ ...result })),
    );
  else {
    const { importLines } = await import('../render/sessions.js');
    print(terminal, importLines(results, dryRun));
  }
  return results.some(({ status }) => status === 'refused') ? EXIT.ended : EXIT.success;
}

function tellSessions(
  all: Session[],
  rows: (sessions: Session[]) => string,
  { options, terminal }: Pick<Invocation, 'options' | 'terminal'>,
): ExitCode {
  if (options.flag('json'))
    printJson(
      terminal,
      all.map(({ messages, ...session }) => ({ ...session, messages: messages.length })),
    );
  else if (all.length === 0) tell(terminal, 'There are no sessions. `perdure run … --session new` begins one.');
  else print(terminal, rows(all));
  return EXIT.success;
}

/** Says which questions are not in a copy. */
function tellLeft(count: number, terminal: Terminal): void {
  if (count === 0) return;
  const left = count === 1 ? '1 question has no answer and is' : `${String(count)} questions have no answer and are`;
  tell(terminal, `${left} not in the copy.`);
}

/** Copies a session; gives the id of the copy. */
async function fork(session: Session, store: Store): Promise<string> {
  const { randomBytes } = await import('node:crypto');
  const { messages, agent_name, agent_cli, description } = session;
  const copy = `task-${randomBytes(4).toString('hex')}`;
  await store.createSession(
    {
      session_id: copy,
      agent_name,
      ...(agent_cli === undefined ? {} : { agent_cli }),
      description,
      created_at: new Date().toISOString(),
      forked_from: session.session_id,
    },
    messages,
  );
  return copy;
}
