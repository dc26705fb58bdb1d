import type { Permissions } from '../../plan/tools/permission.js';
import type { ApplicationFailure } from '@temporalio/common';
import type { Effort } from '../../plan/names.js';
import type { Json } from '../../plan/values/json.js';
import { utf8Bytes } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import type { Access } from '../../plan/agents/program-access.js';
import type { LogWriter } from '../../store/logs/line.js';
import type { ProgramCall } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { tokensIn as bytesInTokens } from '../models/believed-usage.js';
import { costAt } from '../models/choice/prices.js';
import type { Usage } from '../models/protocol/provider.js';
import { NO_USAGE, tokensOf } from '../models/protocol/provider.js';
import { budgetShort } from '../attempt/reservation.js';
import { play } from './play.js';
import type { ProgramEvent, ProgramOutcome, ProgramSpend, SessionUse } from './program.js';
import { PROGRAM } from './programs.js';
import { refusalOf } from './refusal.js';
import type { OpenSession, SessionBook } from './session.js';
import { freshSessionId, paidIn, sessionBook, sessionId } from './session.js';
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
  /** What it was asked first: a new session knows nothing of it. */
  task: string;
  /** Hash of what is asked. */
  request: Hash;
  maxTurns: number;
  /** By which paths no program of the agent writes. */
  permissions: Permissions | undefined;
  signal: AbortSignal;
  log: LogWriter;
  onProgress: (progress: { characters?: number; turns?: number }) => void;
  /** Waited for before a program starts, once what its session has used is told. */
  onBegin: () => Promise<void>;
  /** Told what the question has used so far, whenever the program says so. */
  onSpent: (spent: ProgramSpend) => void;
  /** What is left of the US dollars that were reserved for the call, by what was told so far; null for no limit. */
  leftUsd: () => number | null;
}

/**
 * Asks a program, or goes on with what a lost worker has left of the same question. Throws a failure where it does not
 * answer; `budget-short` where the program has spent what it may: it goes on in its session once more is reserved.
 */
export async function converse(conversation: Conversation): Promise<ProgramReply> {
  const {
    deps: { store },
    call,
    question,
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
  const prompt = question.after === null ? question.prompt : afterLoss(conversation.task, question.prompt);
  const anew = { ...conversation, question: { ...question, prompt, after: null } };
  const lost = left === null ? NOTHING_SPENT : paidIn(left);
  return replyOf(anew, await oneProcess(anew, book, null, { id: freshSessionId(), lost }));
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
  fresh?: { id: string; lost: ProgramSpend },
): Promise<Ended> {
  const { deps, call, question, maxTurns, signal, log, onProgress, onSpent } = conversation;
  const use = sessionUse(conversation, left, fresh?.id);
  const session = sessionAt(use.id, left, fresh);
  const before = session.spent;
  onSpent(paidIn(session));
  const usd = conversation.leftUsd();
  if (usd !== null && usd <= 0) throw moreIsNeeded(conversation, session.spent);
  await conversation.onBegin();
  const program = PROGRAM[call.program.program];
  // A program that names its session itself has none yet: should it be lost before it does, it starts anew.
  if (program.takesSessionId || use.kind === 'resume') await book.write({ ...session });
  const keeper = keepSession(session, book, conversation);
  const outcome = await play({
    program,
    before: addUsage(question.after?.total ?? NO_USAGE, before.usage),
    cwd: call.workspace,
    credentials: deps.credentials(),
    permissions: conversation.permissions,
    owner: { store: deps.store, run: call.root.run },
    signal,
    log,
    onProgress,
    onEvent: keeper.onEvent,
    task: {
      ...question,
      prompt: left === null ? question.prompt : continuation(question.prompt),
      maxTurns,
      usd,
      session: use,
    },
  }).catch((error: unknown) => {
    // It was ended from outside, and has counted nothing yet. Whoever resumes its session counts anew.
    if (keeper.hasAsked() && session.spent === before)
      onSpent(paidIn({ ...session, spent: addSpent(before, { usage: reservedUsage(conversation), usd: null }) }));
    throw error;
  });
  await keeper.written();
  session.spent = addSpent(before, spentBy(outcome, keeper.hasAsked(), conversation));
  onSpent(paidIn(session));
  return { outcome, session };
}

function sessionAt(id: string, left: OpenSession | null, fresh?: { lost: ProgramSpend }): OpenSession {
  return { id, spent: left?.spent ?? NOTHING_SPENT, lost: left?.lost ?? fresh?.lost ?? NOTHING_SPENT };
}

/** What a program says that it has used; of one whose model was asked, and that does not say so, what was reserved. */
function spentBy({ kind, usage, usd }: ProgramOutcome, hasAsked: boolean, conversation: Conversation): ProgramSpend {
  if (usage !== null) return { usage, usd };
  if (kind !== 'answer' && (usd !== null || !hasAsked)) return { usage: NO_USAGE, usd };
  conversation.log.write('note', 'it does not say what it has used: that counts as it was reserved\n');
  return { usage: reservedUsage(conversation), usd };
}

/** What counts where nobody knows. */
function reservedUsage({ call, question: { system, prompt } }: Conversation): Usage {
  const input = bytesInTokens(utf8Bytes(system) + utf8Bytes(prompt));
  return { ...NO_USAGE, input, output: call.program.max_tokens };
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
): { onEvent: (event: ProgramEvent) => void; written: () => Promise<void>; hasAsked: () => boolean } {
  let written: Promise<void> = Promise.resolve();
  let asked = false;
  const keep = (): void => {
    written = book.write({ ...session });
    written.catch(() => undefined); // Thrown where it is awaited.
  };
  return {
    onEvent(event) {
      asked ||= event.kind === 'turn' || event.kind === 'text';
      if (event.kind === 'session' && event.id !== '' && event.id !== session.id) {
        session.id = event.id;
        keep();
      } else if (event.kind === 'turn' && event.usage !== null) {
        session.spent = addSpent(session.spent, {
          usage: event.usage,
          usd: assumed === true ? null : costAt(price, event.usage),
        });
        onSpent(paidIn(session));
        keep();
      }
    },
    written: () => written,
    hasAsked: () => asked,
  };
}

/** A program that was interrupted may have lost the last of what it was told: it is told all of it again. */
function continuation(prompt: string): string {
  return (
    `You were interrupted in the middle of this task. Look at what is done already, do not do it again, and ` +
    `finish it. The task was:\n\n${prompt}`
  );
}

/** A program that has lost its session is told all of it again, with what was wrong with its last answer. */
function afterLoss(task: string, correction: string): string {
  return `${continuation(task)}\n\nAn answer that you gave was refused. ${correction}`;
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
  if (outcome.kind === 'answer') {
    return {
      text: outcome.text,
      model: outcome.model,
      session: session.id,
      spent: paidIn(session),
      total: addUsage(question.after?.total ?? NO_USAGE, session.spent.usage),
    };
  }
  if (outcome.kind !== 'session-lost') await sessionBook(store, call, again, request).write(session);
  if (outcome.kind === 'budget-spent' && call.most?.usd !== undefined) throw moreIsNeeded(conversation, session.spent);
  throw refusalOf(outcome, call.program, maxTurns);
}

/** Twice as much for the whole of it, less what was told of it before. */
function moreIsNeeded(
  { call: { program, most = {}, paid }, leftUsd }: Conversation,
  { usage }: ProgramSpend,
): ApplicationFailure {
  const reserved = most.usd ?? 0;
  const before = { usd: paid?.counted ?? 0, tokens: paid?.tokens ?? 0 };
  const usd = (before.usd + reserved + Math.max(0, -(leftUsd() ?? 0))) * 2 - before.usd;
  const tokens = Math.max(before.tokens + (most.tokens ?? 0), tokensOf(usage)) * 2 - before.tokens;
  return budgetShort(
    `\`${program.program}\` has used the $${reserved.toFixed(2)} that were reserved for it, and goes on when ` +
      `there is more.`,
    { usd, tokens },
  );
}
