import { randomBytes } from 'node:crypto';
import type { Plan } from '../../plan/plan.js';
import { onlyProgram, playersOf } from '../../plan/players.js';
import type { InjectedContext } from '../../plan/agents/injected-context.js';
import type { RunRecord } from '../../plan/result.js';
import type { ProgramName } from '../../plan/agents/program.js';
import type { RunSettings } from '../../plan/run-input.js';
import type { Session as Conversation, SessionHead, SpeakingRuns } from '../../store/records/session-files.js';
import { unansweredRuns } from '../../store/records/session-files.js';
import type { Store } from '../../store/store.js';
import type { CliError } from '../exit-codes.js';
import { usageError } from '../exit-codes.js';

const EXPIRE_DAYS = 7;
const DAY_MS = 86_400_000;

/** The session that a run goes on with, or begins. */
export interface WantedSession {
  id: string;
  begins: boolean;
}

/** The session that `--session` names; `new` begins one. */
export function wantedSession(named: string | null): WantedSession | null {
  if (named === null) return null;
  return named === 'new'
    ? { id: `task-${randomBytes(4).toString('hex')}`, begins: true }
    : { id: named, begins: false };
}

/** A session that is kept. Throws a usage error for one that is not. */
export async function findConversation(id: string, store: Pick<Store, 'readSession'> | null): Promise<Conversation> {
  const session = (await store?.readSession(id)) ?? null;
  if (session === null)
    throw usageError(
      `Session not found: ${id}`,
      '`perdure sessions list` shows those that are kept; `--session new` begins one.',
    );
  return session;
}

/** The session that a run went on with, or the first of those that it is a rerun of; null where it is gone. */
export async function conversationOf(
  lineage: Pick<RunRecord, 'context'>[],
  store: Pick<Store, 'get' | 'readSession'>,
): Promise<Conversation | null> {
  for (const { context } of lineage) {
    // as `storeContext` puts it there
    const told = context === undefined ? null : ((await store.get(context)) as unknown as InjectedContext);
    if (told?.session != null) return store.readSession(told.session);
  }
  return null;
}

/** A run, as far as its session depends on it. */
interface Speaking {
  store: Store;
  plan: Plan;
  settings: Pick<RunSettings, 'programs' | 'rehearsal'>;
  /** What the run is about, in a few words. */
  description?: string | undefined;
  /** How long sessions are kept. */
  days?: number | undefined;
}

/** The session of a run, and what it begins with where it is to be there once its run is. */
export interface OpenedConversation {
  session: Conversation;
  head: SessionHead | null;
}

/**
 * The session that a run begins, of which nothing is written yet, or the one that it goes on with. Throws a usage error
 * where another program began it.
 */
export async function openConversation(
  { id, begins }: WantedSession,
  { store, plan, settings, days, description }: Speaking,
): Promise<OpenedConversation> {
  await removeExpired(store, days);
  if (begins) {
    const head = headOf(id, { plan, settings, description });
    return { session: { ...head, updated_at: head.created_at, status: 'completed', messages: [] }, head };
  }
  const session = await findConversation(id, store);
  // The stand-in of a rehearsal plays for everybody.
  if (!settings.rehearsal) requireProgram(session, plan, settings);
  return { session, head: null };
}

function headOf(id: string, { plan, settings, description }: Omit<Speaking, 'store' | 'days'>): SessionHead {
  const program = onlyProgram(plan, settings.programs);
  return {
    session_id: id,
    agent_name: plan.name,
    ...(program === null ? {} : { agent_cli: program }),
    // a long one is a stored text: its name says nothing
    description: description ?? (typeof plan.description === 'string' ? plan.description : ''),
    created_at: new Date().toISOString(),
  };
}

/** A session goes on with the program that began it, whichever definition goes on with it. */
function requireProgram({ session_id, agent_cli }: Conversation, plan: Plan, { programs }: Speaking['settings']): void {
  if (agent_cli === undefined) return;
  const others = [...playersOf(plan, programs)].filter((player) => player !== agent_cli);
  if (others.length === 0) return;
  const players = others.map((player) => (player === null ? 'a model provider' : `\`${player}\``)).join(' and ');
  throw usageError(
    `The session \`${session_id}\` was begun by \`${agent_cli}\`, and agents of \`${plan.name}\` are played by ` +
      `${players}.`,
    `Name an agent that \`${agent_cli}\` can play, or begin another session.`,
  );
}

/** The error for a program that is asked to go on with what it did not begin. */
export function begunByAnother({ session_id, agent_cli }: Conversation, program: ProgramName): CliError {
  const who = agent_cli === undefined ? 'by no program: a model provider plays its agent' : `by \`${agent_cli}\``;
  return usageError(
    `Expected ${agent_cli === undefined ? 'no `agent_cli`' : `\`agent_cli: ${agent_cli}\``} beside ` +
      `\`session_id: ${session_id}\`, got \`${program}\`: the session was begun ${who}.`,
    'Leave `agent_cli` out, or begin another session without `session_id`.',
  );
}

/** Sessions that nobody went on with for so many days are gone, but for those of which a run may yet answer. */
export async function removeExpired(
  store: Pick<Store, 'listSessions' | 'removeSession'> & SpeakingRuns,
  days: number = EXPIRE_DAYS,
): Promise<void> {
  const oldest = new Date(Date.now() - days * DAY_MS).toISOString();
  for (const { session_id, updated_at, messages } of await store.listSessions())
    if (updated_at < oldest && (await unansweredRuns(messages, store)).size === 0)
      await store.removeSession(session_id);
}
