import { condition, defineSignal, defineUpdate, log, setDefaultSignalHandler, setHandler, upsertMemo } from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/workflow';
import type { Decision, DecisionReceipt, Gate } from '../plan/gate.js';
import { isDecision, refusalOf } from '../plan/gate.js';
import { DECIDE, MEMO } from '../plan/names.js';

const decideUpdate = defineUpdate<DecisionReceipt, [Decision]>(DECIDE);
const decideSignal = defineSignal<[Decision]>(DECIDE);

/** The open gates of one run and what was decided. Update and signal run the same checks (decision 4). */
export interface GateBook {
  open: Map<string, Gate>;
  decided: Map<string, Decision>;
  /** Messages that came in this Temporal run, whatever they said: each is an event (I12). */
  messages: { signals: number; updates: number };
  /** Told of each message once it was taken in. */
  onMessage: () => void;
}

/** Listens for decisions from the first workflow task on, so that none that comes early is lost. */
export function createGateBook(): GateBook {
  const book: GateBook = { open: new Map(), decided: new Map(), messages: { signals: 0, updates: 0 }, onMessage: () => undefined };
  setHandler(decideUpdate, (decision) => {
    book.messages.updates += 1;
    book.onMessage();
    return decide(book, decision);
  }, {
    validator: (decision) => {
      const refusal = checkDecision(book, decision);
      if (refusal !== null) throw ApplicationFailure.create({ type: 'decision-refused', nonRetryable: true, message: refusal });
    },
  });
  setHandler(decideSignal, (decision) => {
    countSignal(book);
    const refusal = checkDecision(book, decision);
    if (refusal === null) decide(book, decision);
    else log.warn(`A decision by signal was refused: ${refusal}`);
  });
  // Anyone may send anything: what we do not know is counted and dropped (S46).
  setDefaultSignalHandler(() => countSignal(book));
  return book;
}

function countSignal(book: GateBook): void {
  book.messages.signals += 1;
  book.onMessage();
}

function checkDecision(book: GateBook, decision: unknown): string | null {
  if (!isDecision(decision)) return 'Expected a decision {gate, decision: approve | reject, hash, by, comment?}.';
  return refusalOf(decision, book.open.get(decision.gate), book.decided.get(decision.gate));
}

function decide(book: GateBook, decision: Decision): DecisionReceipt {
  book.decided.set(decision.gate, decision);
  return { gate: decision.gate, decision: decision.decision, by: decision.by };
}

/** Shows a gate in the memo and waits for its decision, as long as it takes. Throws only when cancelled. */
export async function awaitDecision(book: GateBook, gate: Gate): Promise<Decision> {
  book.open.set(gate.path, gate);
  showOpenGates(book);
  try {
    await condition(() => book.decided.has(gate.path));
  } finally {
    book.open.delete(gate.path);
    showOpenGates(book);
  }
  const decision = book.decided.get(gate.path);
  if (decision === undefined) throw new Error(`Gate \`${gate.path}\` was passed without a decision`);
  return decision;
}

/** One event when the set changes; `list --waiting` reads it without a worker (decision 5). */
function showOpenGates(book: GateBook): void {
  upsertMemo({ [MEMO.waiting]: [...book.open.values()] });
}
