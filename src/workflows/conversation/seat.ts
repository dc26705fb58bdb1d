import { condition } from '@temporalio/workflow';
import type { Conversation } from '../../plan/agents/conversation.js';
import type { AgentStep } from '../../plan/step.js';
import type { Scope } from '../state/context.js';
import { pump } from '../running/step-runner.js';
import type { Turn } from '../budget/reserve.js';
import { leaveSlot, takeSlot } from '../budget/reserve.js';

/**
 * A conversation's place among what runs. It holds one slot while anything of it works, and none while all of it waits
 * for people or for money (I11): then the run may also continue as new.
 */
export interface Seat {
  scope: Scope;
  step: AgentStep;
  turn: Turn;
  /** The step's own conversation: it keeps the time. */
  top: Conversation;
  /** How many of its calls, or the conversation itself, work now. */
  working: number;
  /** When the last of them began while none worked, in epoch milliseconds. */
  since: number;
  /** Resolves when the slot is there again. */
  taken: Promise<void>;
}

/** The seat of a conversation that begins to work in its step's slot. */
export function takeSeat(scope: Scope, step: AgentStep, turn: Turn, top: Conversation): Seat {
  return { scope, step, turn, top, working: 1, since: Date.now(), taken: Promise.resolve() };
}

/** What is left of the time of the try, in milliseconds. */
export function timeLeft({ step, top, working, since }: Seat): number {
  return step.timeout_ms - top.used_ms - (working === 0 ? 0 : Date.now() - since);
}

/** Waits for something that is no work: neither its time nor its slot is used meanwhile. */
export async function aside<T>(seat: Seat, wait: () => Promise<T>): Promise<T> {
  leave(seat);
  let value: T;
  try {
    value = await wait();
  } catch (error) {
    // Cancelled: what cleans up needs no slot.
    seat.working += 1;
    if (seat.working === 1) sitDown(seat);
    throw error;
  }
  await comeBack(seat);
  return value;
}

/** Stops while the run is about to continue as new: the next one goes on from what is carried. */
export async function parkIfDraining(seat: Seat): Promise<void> {
  const { flight } = seat.scope.context;
  if (flight.draining) await aside(seat, () => condition(() => !flight.draining));
}

/** One of several that work stops; with the last of them goes the slot. */
export function leave(seat: Seat): void {
  const { context } = seat.scope;
  seat.working -= 1;
  if (seat.working > 0) return;
  seat.top.used_ms += Date.now() - seat.since;
  context.flight.activities -= 1;
  leaveSlot(context, seat.turn);
  pump(context);
}

function comeBack(seat: Seat): Promise<void> {
  seat.working += 1;
  if (seat.working === 1) seat.taken = takeSlot(seat.scope.context, seat.turn).finally(() => sitDown(seat));
  return seat.taken;
}

function sitDown(seat: Seat): void {
  seat.scope.context.flight.activities += 1;
  seat.since = Date.now();
}
