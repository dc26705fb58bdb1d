import type { ApplicationFailure } from '@temporalio/common';
import type { Effort } from '../../plan/names.js';
import type { Json } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import type { Access } from '../../plan/agents/program-access.js';
import type { LogWriter } from '../../store/logs/line.js';
import type { ProgramCall } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { costAt } from '../models/choice/prices.js';
import type { Usage } from '../models/protocol/provider.js';
import { NO_USAGE, tokensOf } from '../models/protocol/provider.js';
import { budgetShort } from '../attempt/reservation.js';
import { play } from './play.js';
import type { ProgramEvent, ProgramOutcome, ProgramSpend, SessionUse } from './program.js';
import { PROGRAM } from './programs.js';
import { refusalOf } from './refusal.js';
import type { OpenSession, SessionBook } from './session.js';
import { freshSessionId, sessionBook, sessionId } from './session.js';
import { NOTHING_SPENT, addSpent, addUsage } from './usage.js';

/** What a program is asked in one go: the task, or what is wrong with its last answer. */
export interface ProgramQuestion {
  system: string;
  prompt: string;
  model: string | null;
  schema: Json;
  effort?: Effort;
  access: Access;
  /** The conversation that the question goes on with, and what that has used. */
  after: { session: string; total: Usage } | null;
}

/** What came of it, as the journal keeps it. */
export interface ProgramReply {
  text: string;
  model: string | null;
  session: string;
  /** What this question used. */
  spent: ProgramSpend;
  /** What the whole session has used. */
  total: Usage;
}

export interface Conversation {
  deps: Dependencies;
  call: ProgramCall;
  question: ProgramQuestion;
  again: number;
  /** Hash of what is asked. */
  request: Hash;
  maxTurns: number;
  signal: AbortSignal;
  log: LogWriter;
  onProgress: (progress: { characters?: number; turns?: number }) => void;
  /** Waited for before a program starts, once what its session has used is told. */
  onBegin: () => Promise<void>;
  /** Told what the question has used so far, whenever the program says so. */
  onSpent: (spent: ProgramSpend) => void;
}

/**
 * Asks a program, or goes on with what a lost worker has left of the same question. Throws a failure where it does not
 * answer; `budget-short` where the program has spent what it may: it goes on in its session once more is reserved.
 */
export async function converse(conversation: Conversation): Promise<ProgramReply> {
  const {
    deps: { store },
    call,
    again,
    request,
    log,
  } = conversation;
  const book = sessionBook(store, call, again, request);
  const left = await book.read();
  if (left !== null) log.write('note', `resumes session ${left.id}\n`);
  const first = await oneProcess(conversation, book, left);
  if (first.outcome.kind !== 'session-lost') return replyOf(conversation, first);
  log.write('note', `\`${call.program.program}\` does not know the session any more: it begins anew\n`);
  return replyOf(
    conversation,
    await oneProcess(
      { ...conversation, question: { ...conversation.question, after: null } },
      book,
      null,
      freshSessionId(),
    ),
  );
}

interface Ended {
  outcome: ProgramOutcome;
  session: OpenSession;
}

/** One process. Its session and what that has used are in the journal before it ends, as far as the program tells. */
async function oneProcess(
  conversation: Conversation,
  book: SessionBook,
  left: OpenSession | null,
  id?: string,
): Promise<Ended> {
  const { deps, call, question, maxTurns, signal, log, onProgress, onSpent } = conversation;
  const use = sessionUse(conversation, left, id);
  const before = left?.spent ?? NOTHING_SPENT;
  onSpent(before);
  await conversation.onBegin();
  const session: OpenSession = { id: use.id, spent: before };
  const program = PROGRAM[call.program.program];
  // A program that names its session itself has none yet: should it be lost before it does, it starts anew.
  if (program.takesSessionId || use.kind === 'resume') await book.write({ ...session });
  const keeper = keepSession(session, book, conversation);
  const outcome = await play({
    program,
    before: addUsage(question.after?.total ?? NO_USAGE, before.usage),
    cwd: call.workspace,
    credentials: deps.credentials(),
    owner: { store: deps.store.id, run: call.root.run },
    signal,
    log,
    onProgress,
    onEvent: keeper.onEvent,
    task: {
      ...question,
      prompt: left === null ? question.prompt : continuation(question.prompt),
      maxTurns,
      usd: call.most?.usd ?? null,
      session: use,
    },
  });
  await keeper.written();
  const spent = addSpent(before, outcome);
  onSpent(spent);
  return { outcome, session: { id: session.id, spent } };
}

/** A new conversation, or the one that was left or that the question goes on with. */
function sessionUse(
  { call, question: { after }, again }: Conversation,
  left: OpenSession | null,
  id: string | undefined,
): SessionUse {
  const open = left?.id ?? after?.session;
  return open === undefined ? { kind: 'start', id: id ?? sessionId(call, again) } : { kind: 'resume', id: open };
}

/** Writes down what a program tells of its session while it works: that is what a lost worker leaves. */
function keepSession(
  session: OpenSession,
  book: SessionBook,
  {
    call: {
      program: { price, assumed },
    },
    onSpent,
  }: Conversation,
): { onEvent: (event: ProgramEvent) => void; written: () => Promise<void> } {
  let written: Promise<void> = Promise.resolve();
  const keep = (): void => {
    written = book.write({ ...session });
    written.catch(() => undefined); // Thrown where it is awaited.
  };
  return {
    onEvent(event) {
      if (event.kind === 'session' && event.id !== '' && event.id !== session.id) {
        session.id = event.id;
        keep();
      } else if (event.kind === 'turn' && event.usage !== null) {
        session.spent = addSpent(session.spent, {
          usage: event.usage,
          usd: assumed === true ? null : costAt(price, event.usage),
        });
        onSpent(session.spent);
        keep();
      }
    },
    written: () => written,
  };
}

/** A program that was interrupted may have lost the last of what it was told: it is told all of it again. */
function continuation(prompt: string): string {
  return (
    `You were interrupted in the middle of this task. Look at what is done already, do not do it again, and ` +
    `finish it. The task was:\n\n${prompt}`
  );
}

async function replyOf(conversation: Conversation, { outcome, session }: Ended): Promise<ProgramReply> {
  const {
    deps: { store },
    call,
    question,
    again,
    request,
    maxTurns,
  } = conversation;
  const { spent } = session;
  if (outcome.kind === 'answer') {
    return {
      text: outcome.text,
      model: outcome.model,
      session: session.id,
      spent,
      total: addUsage(question.after?.total ?? NO_USAGE, spent.usage),
    };
  }
  if (outcome.kind !== 'session-lost') await sessionBook(store, call, again, request).write(session);
  if (outcome.kind === 'budget-spent' && call.most?.usd !== undefined) throw moreIsNeeded(call, spent);
  throw refusalOf(outcome, call.program, maxTurns);
}

/** Twice as much, for the whole of it; what was spent is part of what will be reserved then. */
function moreIsNeeded({ program: { program }, most = {} }: ProgramCall, { usage }: ProgramSpend): ApplicationFailure {
  const usd = (most.usd ?? 0) * 2;
  const tokens = Math.max(most.tokens ?? 0, tokensOf(usage)) * 2;
  return budgetShort(
    `\`${program}\` has used the $${(most.usd ?? 0).toFixed(2)} that were reserved for it, and goes on when ` +
      `there is more.`,
    { usd, tokens },
  );
}
