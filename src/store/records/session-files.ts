import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import type { ProgramName } from '../../plan/agents/program.js';
import { isProgram } from '../../plan/agents/program.js';
import { writeAtomically } from '../files.js';
import { appendLine, readLines } from '../line-files.js';
import { errorCode, storeFailure } from '../store-failure.js';
import type { RunFiles } from './run-files.js';
import type { SubmittedFiles } from './submitted-files.js';

/** What one side said in a session. */
export interface SessionMessage {
  role: 'user' | 'assistant';
  content: string;
  /** The run in which it was said. */
  run: string;
  /** ISO 8601, UTC. */
  at: string;
  /** Of an assistant: how its run ended. */
  status?: string;
  error?: string | null;
  /** Steps that failed or were tried again. */
  troubles?: { step: string; attempts: number; status: string; error: string | null }[];
}

/** A conversation that runs go on with. */
export interface Session {
  session_id: string;
  /** The agent or definition that began it. */
  agent_name: string;
  /** The program that played its agents, where one did: it plays them in every run that goes on with the session. */
  agent_cli?: ProgramName;
  description: string;
  created_at: string;
  updated_at: string;
  /** `active` while a run goes on. */
  status: 'active' | 'completed' | 'error';
  /** The session that this one was copied from. */
  forked_from?: string;
  imported?: ImportedFrom;
  messages: SessionMessage[];
}

/** The file of another program that a session was imported from, its SHA-256, and when (ISO 8601, UTC). */
export type ImportedFrom = { from: string; hash: Hash; at: string };

/** What a session's file begins with. */
export type SessionHead = Pick<
  Session,
  'session_id' | 'agent_name' | 'agent_cli' | 'description' | 'created_at' | 'forked_from' | 'imported'
>;

export interface SessionFiles {
  /** In one write: a crash leaves all of it or nothing. A session of that id must not be there. */
  createSession(head: SessionHead, messages?: SessionMessage[]): Promise<void>;
  /** A message of the same run and side is taken once only, so that it may be said again after a crash. */
  addMessage(session: string, message: SessionMessage): Promise<void>;
  readSession(session: string): Promise<Session | null>;
  /** The latest changed first. */
  listSessions(): Promise<Session[]>;
  removeSession(session: string): Promise<void>;
}

export const SESSION_ID = /^task-[0-9a-f]{8}$/;
const EXTENSION = '.ndjson';

/** What is known of runs by which a session is seen to go on. */
export type SpeakingRuns = Pick<SubmittedFiles, 'readSubmitted'> & Pick<RunFiles, 'readRun'>;

/** Sessions as lines of JSON, each appended as it was said: `<folder>/<session>.ndjson`. */
export function createSessionFiles(folder: string, runs: SpeakingRuns): SessionFiles {
  const pathOf = (session: string): string => join(folder, `${session}${EXTENSION}`);

  async function readSession(session: string): Promise<Session | null> {
    const lines = SESSION_ID.test(session) ? readLines(pathOf(session)) : null;
    return lines === null ? null : sessionOf(lines, runs);
  }

  return {
    readSession,
    createSession: (head, messages = []) =>
      writeAtomically(
        pathOf(head.session_id),
        [{ ...head }, ...messages].map((line) => `${JSON.stringify(line)}\n`).join(''),
      ),
    addMessage: (session, message) => appendLine(pathOf(session), asJson(message)),
    async listSessions() {
      return latestFirst(await Promise.all(namesIn(folder).map(readSession)));
    },
    removeSession: async (session) => rmSync(pathOf(session), { force: true }),
  };
}

/**
 * A session of its lines, the head first; null where that is lost or damaged: nobody can say who goes on with it.
 * Damaged messages are left out.
 */
export async function sessionOf([head, ...lines]: Json[], runs: SpeakingRuns): Promise<Session | null> {
  if (head === undefined || !isHead(head)) return null;
  const known = head as unknown as SessionHead; // looked at
  const messages = new Map<string, SessionMessage>();
  for (const line of lines.filter(isMessage) as unknown as SessionMessage[])
    if (!messages.has(`${line.role} ${line.run}`)) messages.set(`${line.role} ${line.run}`, line);
  const all = [...messages.values()];
  const last = all.at(-1);
  // Nobody can go on with a copy, or an import, before it is here: it is kept as long as one that was begun then.
  const updated_at = [known.created_at, last?.at ?? '', known.imported?.at ?? ''].sort().at(-1) ?? '';
  const status = (await unansweredRuns(all, runs)).size > 0 ? 'active' : statusOf(known, last);
  return { ...known, updated_at, status, messages: all };
}

/** Those that are sessions, the latest changed first. */
export function latestFirst(sessions: (Session | null)[]): Session[] {
  return sessions.flatMap((one) => one ?? []).sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
}

/** Runs that asked in a session and go on: each may yet answer, whatever others said meanwhile. */
export async function unansweredRuns(messages: SessionMessage[], runs: SpeakingRuns): Promise<Set<string>> {
  const asked = unansweredIn(messages);
  if (asked.length === 0) return new Set();
  const known = (await runs.readSubmitted(asked)).map(({ run }) => run);
  // One whose record is there has ended, though nobody can read it any more.
  const records = await Promise.all(known.map((run) => runs.readRun(run).catch(() => undefined)));
  return new Set(known.filter((_, index) => records[index] === null));
}

/** What was said in a session but for questions of runs of ours without an answer: that comes to no copy of it. */
export async function answeredMessages(
  messages: SessionMessage[],
  runs: Pick<SubmittedFiles, 'readSubmitted'>,
): Promise<SessionMessage[]> {
  const open = new Set((await runs.readSubmitted(unansweredIn(messages))).map(({ run }) => run));
  return messages.filter(({ run }) => !open.has(run));
}

function unansweredIn(messages: SessionMessage[]): string[] {
  const said = (wanted: SessionMessage['role']): Set<string> =>
    new Set(messages.filter(({ role }) => role === wanted).map(({ run }) => run));
  const answered = said('assistant');
  return [...said('user')].filter((run) => !answered.has(run));
}

function isHead(line: Json): boolean {
  if (!isObject(line) || !hasTexts(line, ['session_id', 'agent_name', 'description', 'created_at'])) return false;
  const { agent_cli: program, imported = {} } = line;
  return (program === undefined || isProgram(String(program))) && isObject(imported);
}

function isMessage(line: Json): boolean {
  return (
    isObject(line) &&
    hasTexts(line, ['content', 'run', 'at']) &&
    (line['role'] === 'user' || line['role'] === 'assistant')
  );
}

function hasTexts(line: JsonObject, names: string[]): boolean {
  return names.every((name) => typeof line[name] === 'string');
}

function statusOf({ imported }: SessionHead, last: SessionMessage | undefined): Session['status'] {
  // Who asked has ended without a word; of one that was imported nobody knows.
  if (last?.role === 'user') return imported === undefined ? 'error' : 'active';
  return last?.status === undefined || last.status === 'success' || last.status === 'partial' ? 'completed' : 'error';
}

function asJson(message: SessionMessage): Json {
  return { ...message }; // every field is JSON, and one that is undefined is left out
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(EXTENSION))
      .map(({ name }) => name.slice(0, -EXTENSION.length));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storeFailure(error, 'read', folder);
  }
}
