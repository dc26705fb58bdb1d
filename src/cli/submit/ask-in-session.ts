import type { Session as Conversation } from '../../store/records/session-files.js';
import type { Store } from '../../store/store.js';
import { grpcTrouble } from '../grpc.js';
import type { Question } from './inject-context.js';

/** Where a run asks. */
interface Asking {
  run: string;
  store: Pick<Store, 'createSession' | 'addMessage' | 'removeSession'>;
}

/**
 * Starts a run that asks something in a session. One that it begins is there before, so that its answer finds it, and
 * goes again where nothing was started.
 */
export async function askInSession(
  { session, head, content }: Question,
  { run, store }: Asking,
  start: () => Promise<{ joined: boolean }>,
): Promise<{ joined: boolean }> {
  const undo = async (): Promise<void> => {
    // An empty one that stays is no reason to tell anything else than how the start went.
    if (head !== null) await store.removeSession(session).catch(() => undefined);
  };
  try {
    if (head !== null) await store.createSession(head);
    const started = await start();
    if (started.joined) await undo();
    // What cannot be told now is told when the run closes.
    else
      await store
        .addMessage(session, { role: 'user', content, run, at: new Date().toISOString() })
        .catch(() => undefined);
    return started;
  } catch (error) {
    // Of a connection that was lost meanwhile nobody knows whether it was started.
    if (grpcTrouble(error) !== 'connection-lost') await undo();
    throw error;
  }
}

/** The session in which a run has asked, copies last; null where it asked in none. */
export async function sessionOfRun(
  run: string,
  asked: string,
  store: Pick<Store, 'listSessions'>,
): Promise<Conversation | null> {
  const all = (await store.listSessions()).filter(({ messages }) => messages.some((message) => message.run === run));
  all.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  return all.find(({ session_id }) => session_id === asked) ?? all[0] ?? null;
}
