import { readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { z } from 'zod';
import type { ProgramName } from '../../plan/agents/program.js';
import { PROGRAMS } from '../../plan/agents/program.js';
import type { Hash } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import { readPlainNow } from '../../store/read-plain.js';
import type { SessionHead, SessionMessage } from '../../store/records/session-files.js';
import { SESSION_ID } from '../../store/records/session-files.js';
import type { Store } from '../../store/store.js';
import { usageError } from '../exit-codes.js';

/** A session of more bytes is no conversation. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Who does the work where neither an agent nor a program was named: as `task` has it. */
const ANYBODY = 'general-purpose';

const time = z.string({ error: 'a time' }).refine((text) => !Number.isNaN(Date.parse(text)), { error: 'a time' });

/** A session as Glee writes it. What it has beyond is left behind. */
const gleeSession = z.object(
  {
    session_id: z.string({ error: 'an id' }).regex(SESSION_ID, { error: '`task-` and 8 hexadecimal digits' }),
    agent_name: z.string({ error: 'a name' }).nullish(),
    agent_cli: z.enum(PROGRAMS, { error: `one of ${PROGRAMS.join(', ')}` }).nullish(),
    description: z.string({ error: 'a text' }).nullish(),
    created_at: time,
    updated_at: time.nullish(),
    status: z.enum(['active', 'completed', 'error'], { error: 'active, completed or error' }).nullish(),
    messages: z.array(
      z.object(
        {
          role: z.enum(['user', 'assistant'], { error: 'user or assistant' }),
          content: z.string({ error: 'a text' }),
          timestamp: time.nullish(),
        },
        { error: 'a map with role and content' },
      ),
      { error: 'a list of messages' },
    ),
  },
  { error: 'a session: a map with session_id, created_at and messages' },
);
type GleeSession = z.infer<typeof gleeSession>;

/** What became, or would become, of one file. */
export interface ImportedSession {
  /** As it was named, from the folder where that is one. */
  file: string;
  session_id: string | null;
  /** `kept`: it is here already, as it was then or with what was said since. */
  status: 'imported' | 'kept' | 'refused';
  messages: number;
  /** Why it is not imported, as a sentence. */
  reason: string | null;
}

/**
 * Imports sessions of Glee: one file, or every `*.json` of a folder, in the order of their names. One that is here
 * already stays as it is, so that to import again changes nothing; what cannot be read is told, and leaves nothing
 * behind. With `dryRun` nothing is written. Throws a usage error where there is nothing to read.
 */
export async function importSessions(
  place: string,
  { store, cwd, dryRun }: { store: Store; cwd: string; dryRun: boolean },
): Promise<ImportedSession[]> {
  const results: ImportedSession[] = [];
  const taken = new Map<string, string>();
  for (const file of sessionFiles(place, cwd)) {
    const name = relative(cwd, file);
    const read = readSession(file);
    if ('reason' in read) {
      results.push({ file: name, session_id: null, status: 'refused', messages: 0, reason: read.reason });
      continue;
    }
    const { session, hash } = read;
    const { session_id } = session;
    const about = { file: name, session_id, messages: session.messages.length };
    const reason = taken.has(session_id)
      ? `\`${session_id}\` stands in \`${String(taken.get(session_id))}\` too, which was read first.`
      : await keptReason(session_id, hash, store);
    taken.set(session_id, name);
    if (reason !== null) {
      results.push({ ...about, ...(reason === '' ? { status: 'kept', reason: null } : { status: 'refused', reason }) });
      continue;
    }
    if (!dryRun) await store.createSession(headOf(session, { from: name, hash }), messagesOf(session));
    results.push({ ...about, status: 'imported', reason: null });
  }
  return results;
}

/** Paths of the files that a person means by a folder or a file. Throws a usage error where there are none. */
export function sessionFiles(place: string, cwd: string): string[] {
  const path = join(place.startsWith('/') ? '/' : cwd, place);
  try {
    const names = readdirSync(path).filter((name) => name.endsWith('.json'));
    if (names.length > 0) return names.sort().map((name) => join(path, name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return [path];
    throw usageError(`Expected a folder with sessions of Glee, or one of them; \`${place}\` cannot be read.`);
  }
  throw usageError(`There are no sessions in \`${place}\`.`, 'Glee keeps them as `.glee/agent_sessions/task-….json`.');
}

function readSession(file: string): { session: GleeSession; hash: Hash } | { reason: string } {
  const content = readPlainNow(file, MOST_BYTES);
  if (content === null) return { reason: 'It is no plain file of at most 16 MiB that can be read.' };
  const text = content.toString('utf8');
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return { reason: 'It is no JSON.' };
  }
  const parsed = gleeSession.safeParse(document);
  if (!parsed.success) {
    const [{ path, message } = { path: [], message: 'a session' }] = parsed.error.issues;
    return { reason: `Expected ${path.length === 0 ? '' : `\`${path.map(String).join('.')}\` to be `}${message}.` };
  }
  if (`${parsed.data.session_id}.json` !== basename(file))
    return { reason: `It holds the session \`${parsed.data.session_id}\`, and its name says another.` };
  return { session: parsed.data, hash: sha256(text) };
}

/** Why a session that is here is not imported, empty where it is the same; null where there is none of its id. */
async function keptReason(id: string, hash: Hash, store: Store): Promise<string | null> {
  const here = await store.readSession(id);
  if (here === null) return null;
  if (here.imported === undefined) return `There is another session \`${id}\` here.`;
  return here.imported.hash === hash
    ? ''
    : `\`${id}\` was imported before the file changed, and stays as it is here: import is one way, and once.`;
}

function headOf(
  { session_id, agent_name, agent_cli, description, created_at }: GleeSession,
  { from, hash }: { from: string; hash: Hash },
): SessionHead {
  const name = agent_name?.trim();
  return {
    session_id,
    agent_name: name === undefined || name === '' ? playedBy(agent_cli) : name,
    ...(agent_cli == null ? {} : { agent_cli }),
    description: description ?? '',
    created_at: utc(created_at),
    imported: { from, hash, at: new Date().toISOString() },
  };
}

/** As `task` names the agent that is nothing but a program. */
function playedBy(program: ProgramName | null | undefined): string {
  return program == null ? ANYBODY : `${program}-cli`;
}

/** Each message by a run of its own name: of one run only one message of each side counts. */
function messagesOf({ messages, created_at, updated_at, status }: GleeSession): SessionMessage[] {
  return messages.map(({ role, content, timestamp }, index) => {
    const isLast = index === messages.length - 1;
    const ended = isLast && status === 'error' ? 'error' : 'success';
    return {
      role,
      content,
      run: `glee-${index + 1}`,
      at: utc(timestamp ?? (isLast ? (updated_at ?? created_at) : created_at)),
      ...(role === 'assistant' ? { status: ended } : {}),
    };
  });
}

/** A time without a zone is one of this machine: Glee writes such. */
function utc(written: string): string {
  return new Date(written).toISOString();
}
