import { condition } from '../determinism/condition.js';
import type { Conversation } from '../../plan/agents/conversation.js';
import type { AgentStep } from '../../plan/step.js';
import type { Scope } from '../state/context.js';
import { startReady } from '../running/step-runner.js';
import type { Reservation } from '../budget/reserve.js';
import { leaveSlot, takeSlot } from '../budget/reserve.js';

/**
 * A conversation's place among what runs. It holds one slot while anything of it works, and none while all of it waits
 * for people or for money (I11): then the run may also continue as new.
 */
export interface Slot {
  scope: Scope;
  step: AgentStep;
  turn: Reservation;
  /** The step's own conversation: it keeps the time. */
  top: Conversation;
  /** How many of its calls, or the conversation itself, work now. */
  working: number;
  /** When the last of them began while none worked, in epoch milliseconds. */
  since: number;
  /** Up to when what was waited for is no part of its time, in epoch milliseconds. */
  waitedTo: number;
  /** Resolves when the slot is there again. */
  taken: Promise<void>;
}

/** The slot of a conversation that begins to work in its step's slot. */
export function takeConversationSlot(scope: Scope, step: AgentStep, turn: Reservation, top: Conversation): Slot {
  return { scope, step, turn, top, working: 1, since: Date.now(), waitedTo: 0, taken: Promise.resolve() };
}

/** What is left of the time of the try, in milliseconds. */
export function timeLeft({ step, top, working, since }: Slot): number {
  return step.timeout_ms - top.used_ms - (working === 0 ? 0 : Date.now() - since);
}

/** Takes out of the time what a turn slept through; what several slept through at once counts once. */
export function discount(slot: Slot, [from, to]: [from: number, to: number]): void {
  const begun = Math.max(from, slot.since, slot.waitedTo);
  const ended = Math.min(to, Date.now());
  if (ended <= begun) return;
  slot.top.used_ms -= ended - begun;
  slot.waitedTo = ended;
}

/** Waits for something that is no work: neither its time nor its slot is used meanwhile. */
export async function aside<T>(slot: Slot, wait: () => Promise<T>): Promise<T> {
  leave(slot);
  let value: T;
  try {
    value = await wait();
  } catch (error) {
    // Cancelled: what cleans up needs no slot.
    slot.working += 1;
    if (slot.working === 1) sitDown(slot);
    throw error;
  }
  await comeBack(slot);
  return value;
}

/** Stops while the run is about to continue as new: the next one goes on from what is carried. */
export async function parkIfDraining(slot: Slot): Promise<void> {
  const { runningSteps } = slot.scope.context;
  if (runningSteps.draining) await aside(slot, () => condition(() => !runningSteps.draining));
}

/** One of several that work stops; with the last of them goes the slot. */
export function leave(slot: Slot): void {
  const { context } = slot.scope;
  slot.working -= 1;
  if (slot.working > 0) return;
  slot.top.used_ms += Date.now() - slot.since;
  context.runningSteps.activities -= 1;
  leaveSlot(context, slot.turn);
  startReady(context);
}

function comeBack(slot: Slot): Promise<void> {
  slot.working += 1;
  if (slot.working === 1) slot.taken = takeSlot(slot.scope.context, slot.turn).finally(() => sitDown(slot));
  return slot.taken;
}

function sitDown(slot: Slot): void {
  slot.scope.context.runningSteps.activities += 1;
  slot.since = Date.now();
}
