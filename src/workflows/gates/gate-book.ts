import {
  ApplicationFailure,
  CancellationScope,
  defineSignal,
  defineUpdate,
  log,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { condition } from '../determinism/condition.js';
import type { Decision, DecisionReceipt, Gate, GateEnd } from '../../plan/gates/gate.js';
import { isDecision, isRead, isUsed, missingOf, refusalOf } from '../../plan/gates/gate.js';
import type { Edited, GateStep } from '../../plan/gates/gate-timeline.js';
import { nextDue, passTime, takeDecision } from '../../plan/gates/gate-timeline.js';
import { DECIDE } from '../../plan/names.js';
import type { Carried } from '../../plan/run-input.js';
import type { Value } from '../../plan/values/value.js';
import { quick } from '../activities.js';
import { createGateMemo } from './gate-memo.js';
import type { GateBook } from '../state/gate-book.js';

const decideUpdate = defineUpdate<DecisionReceipt, [Decision]>(DECIDE);
const decideSignal = defineSignal<[Decision]>(DECIDE);

/** What holds for the gates of a run. */
export type GateTerms = Pick<GateBook, 'wantsToken' | 'receipts'>;

/**
 * The gates that a run goes on with, none at its start. Listens for decisions from the first workflow task on, so that
 * none that comes early is lost.
 */
export function createGateBook(
  carried: Pick<Carried, 'gates' | 'decisions' | 'remembered'> | null,
  { wantsToken, receipts }: GateTerms,
): GateBook {
  const book: GateBook = {
    open: new Map(),
    carried: new Map(carried?.gates.map((gate) => [gate.path, gate])),
    decided: new Map(carried?.decisions?.map((end) => [end.gate, end])),
    remembered: new Set(carried?.remembered),
    memo: createGateMemo(),
    wantsToken,
    receipts,
    messages: { signals: 0, updates: 0 },
    onMessage: () => undefined,
    onOpened: () => undefined,
    onListed: () => undefined,
  };
  setHandler(
    decideUpdate,
    (decision) => {
      book.messages.updates += 1;
      book.onMessage();
      return isLookedAt(book, decision) ? takeLookedAt(book, decision) : take(book, decision, {});
    },
    {
      validator: (decision) => {
        const refusal = checkDecision(book, decision);
        // What came by a grant is refused where that can be kept.
        if (refusal !== null && !hasGrant(decision)) throw refused(refusal);
      },
    },
  );
  setHandler(decideSignal, async (decision) => {
    countSignal(book);
    const refusal = checkDecision(book, decision);
    if (refusal !== null && !hasGrant(decision)) log.warn(`A decision by signal was refused: ${refusal}`);
    else if (isLookedAt(book, decision))
      await takeLookedAt(book, decision).catch((error: unknown) =>
        log.warn(`A decision by signal was refused: ${String(error)}`),
      );
    else take(book, decision, {});
  });
  return book;
}

/**
 * Call it once all handlers are set: it is given what is left of the signals that came early. Anyone may send anything;
 * what we do not know is counted and dropped.
 */
export function acceptUnknownSignals(book: GateBook): void {
  setDefaultSignalHandler(() => countSignal(book));
}

function countSignal(book: GateBook): void {
  book.messages.signals += 1;
  book.onMessage();
}

/** Type of the failure that tells why a decision does not count. */
const REFUSED = 'decision-refused';

function refused(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: REFUSED, nonRetryable: true, message });
}

function checkDecision(book: GateBook, decision: unknown): string | null {
  if (!isDecision(decision))
    return 'Expected a decision {gate, decision: approve | reject | answer, hash, by, comment?, value?, edit?}.';
  return refusalOf(decision, gateAt(book, decision), book.decided.get(decision.gate), Date.now());
}

/** The gate that a decision is about, when it is open. */
function gateAt({ open, carried }: GateBook, { gate }: Pick<Decision, 'gate'>): Gate | undefined {
  return open.get(gate) ?? carried.get(gate);
}

/** Tells whether activities look at a decision before it is taken. */
function isLookedAt(book: GateBook, decision: Decision): boolean {
  return book.wantsToken || hasGrant(decision) || isRead(decision, gateAt(book, decision));
}

/** Of anything that was sent as a decision. */
function hasGrant(decision: unknown): boolean {
  return isDecision(decision) && decision.grant !== undefined;
}

/** Takes a decision that activities look at. Throws the refusal, which is kept of one that came by a grant. */
async function takeLookedAt(book: GateBook, decision: Decision): Promise<DecisionReceipt> {
  try {
    return await takeRead(book, decision);
  } catch (error) {
    if (decision.grant !== undefined && error instanceof ApplicationFailure && error.type === REFUSED)
      await quick.noteRefusal({ run: workflowInfo().workflowId, decision, reason: error.message });
    throw error;
  }
}

/**
 * Checks grant or token and reads what a person wrote, as far as there is need, then takes the decision, unless it does
 * not count any more by then. Throws the refusal.
 */
async function takeRead(book: GateBook, decision: Decision): Promise<DecisionReceipt> {
  const early = decision.grant === undefined ? null : checkDecision(book, decision);
  if (early !== null) throw refused(early);
  const gate = gateAt(book, decision);
  if (gate === undefined) throw refused(`No gate \`${decision.gate}\` is open in this run.`);
  const nonce = book.wantsToken || decision.grant !== undefined ? await requireToken(gate, decision) : null;
  const read = isRead(decision, gate) ? await readWritten(gate, decision) : null;
  const open = gateAt(book, decision);
  const refusal = checkDecision(book, decision) ?? reopened(gate, open) ?? usedUp(open, nonce);
  if (refusal !== null) throw refused(refusal);
  if (read === null) return take(book, decision, { nonce });
  return 'hash' in read
    ? take(book, decision, { edited: read, nonce })
    : take(book, { ...decision, value: read.answer }, { nonce });
}

function usedUp(gate: Gate | undefined, nonce: string | null): string | null {
  return gate !== undefined && nonce !== null && isUsed(gate, nonce)
    ? `Gate \`${gate.path}\` was sent a grant that was used before: each decides once.`
    : null;
}

/** A gate that was sent back while an activity looked at the decision, and opened again, shows something new. */
function reopened({ path, since }: Gate, open: Gate | undefined): string | null {
  return open?.since === since ? null : `Gate \`${path}\` was opened anew meanwhile. Look again and decide anew.`;
}

/**
 * Also a decision without a token comes here, and not to the validator: what is refused for its token stands in
 * history. Gives the nonce of the grant by which it came.
 */
async function requireToken({ path, since }: Gate, decision: Decision): Promise<string | null> {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const { refusal, nonce = null } = await quick.checkToken({
    run: workflowId,
    first: firstExecutionRunId,
    gate: path,
    since,
    decision,
  });
  if (refusal !== null) throw refused(refusal);
  return nonce;
}

async function readWritten(
  { path, message, content, schema, options, team }: Gate,
  { edit, value }: Decision,
): Promise<Edited | { answer: Value }> {
  const written = edit ?? value;
  if (written === undefined) throw refused(`Expected an answer or an edited content for the gate \`${path}\`.`);
  const read =
    edit === undefined
      ? await quick.readAnswer({ answer: written, schema: schema ?? null })
      : await quick.readEdit({
          ...{ message, shown: content, edit: written },
          ...(options === undefined ? {} : { options }),
          ...(team === undefined ? {} : { team }),
        });
  if ('refusal' in read) throw refused(`Gate \`${path}\`: ${read.refusal}`);
  return read;
}

function take(
  book: GateBook,
  decision: Decision,
  { edited = null, nonce = null }: { edited?: Edited | null; nonce?: string | null },
): DecisionReceipt {
  const gate = gateAt(book, decision);
  if (gate === undefined) throw refused(`No gate \`${decision.gate}\` is open in this run.`);
  const after = takeDecision(gate, decision, { now: Date.now(), edited, nonce });
  settle(book, after);
  const missing = after.end === null ? missingOf(after.gate) : 0;
  return {
    gate: decision.gate,
    decision: decision.decision,
    by: decision.by,
    ...(edited === null ? {} : { hash: edited.hash }),
    ...(missing === 0 ? {} : { missing }),
  };
}

function settle(book: GateBook, { gate, end }: GateStep): void {
  const isShown = book.open.has(gate.path);
  (isShown ? book.open : book.carried).set(gate.path, gate);
  if (end !== null) book.decided.set(gate.path, end);
  if (end?.remembered === true) book.remembered.add(end.hash);
  if (!isShown) showCarried(book);
  else if (end === null) book.memo.show(book.open, null);
}

/**
 * Shows gates in the memo also while the run is paused, which has continued as new and waits with showing them again.
 */
export function showCarried({ memo, open, carried, decided }: GateBook): void {
  memo.show(new Map([...open, ...[...carried].filter(([path]) => !decided.has(path))]), null);
}

/**
 * Shows a gate in the memo and waits until people decided it or its deadline ends it: as long as it takes, whatever
 * dies meanwhile. A deadline that passed while nothing ran is honoured on return. Throws only when cancelled.
 * Returns once what follows may begin: what `mayEnd` keeps is carried on like an open gate, with its decision.
 */
export async function awaitDecision(
  book: GateBook,
  gate: Gate,
  mayEnd: (() => boolean) | null = null,
): Promise<GateEnd> {
  const { path } = gate;
  book.open.set(path, gate);
  book.carried.delete(path);
  book.memo.showOpened(book.open);
  book.onListed();
  book.onOpened(gate);
  // Whoever waits for what this run does hears that it waits for people.
  book.onMessage();
  try {
    for (;;) {
      await untilDecidedOrDue(book, path);
      const end = book.decided.get(path);
      if (end !== undefined) {
        if (mayEnd !== null && !mayEnd()) await condition(mayEnd);
        await keepReceipt(book, gate, end);
        return end;
      }
      const passed = passTime(book.open.get(path) ?? gate, Date.now());
      settle(book, passed);
      if (passed.end === null) book.onOpened(passed.gate);
      // Reminders are events as well (I12).
      book.onMessage();
    }
  } finally {
    book.open.delete(path);
    book.memo.show(book.open, book.decided.get(path) ?? null);
    book.onListed();
  }
}

/**
 * Has what was decided signed, while the gate is still kept for a next Temporal run. A decision counts without it: what
 * cannot be signed is told, and holds nobody up for longer than a store that takes nothing.
 */
async function keepReceipt({ receipts }: GateBook, { path, message, hash, since }: Gate, end: GateEnd): Promise<void> {
  if (receipts === null) return;
  const call = { ...receipts, gate: { path, message, hash, since }, end };
  await CancellationScope.nonCancellable(() => quick.keepReceipt(call)).catch((error: unknown) =>
    log.warn(`No receipt could be kept of a decision: ${String(error)}`),
  );
}

async function untilDecidedOrDue(book: GateBook, path: string): Promise<void> {
  const isDecided = (): boolean => book.decided.has(path);
  const gate = book.open.get(path);
  const due = gate === undefined ? null : nextDue(gate);
  if (due === null) await condition(isDecided);
  else await condition(isDecided, Math.max(1, due - Date.now()));
}
