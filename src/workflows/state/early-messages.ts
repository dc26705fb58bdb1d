import { patched, setHandler } from '@temporalio/workflow';
import type { SignalDefinition } from '@temporalio/workflow';

/** What a run knows of the messages that come to it. */
export interface Ears {
  /** Handlers are being set: what they are given meanwhile came before the first task of this Temporal run. */
  areOpening: boolean;
  /** Messages that came in this Temporal run, whatever they said: each is an event (I12). */
  messages: { signals: number; updates: number };
}

/**
 * Listens to signals of one kind, also to those that came before the run's first task. Histories of before hold runs
 * that dropped these, as they drop what strangers send (I14).
 */
export function listen<T>(
  ears: Ears,
  signal: SignalDefinition<[T]>,
  heard: (message: T) => void | Promise<void>,
): void {
  setHandler(signal, (message) => {
    if (!ears.areOpening || patched('early-signals')) return heard(message);
    ears.messages.signals += 1;
  });
}
