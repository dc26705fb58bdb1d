import { patched, setHandler } from '@temporalio/workflow';
import type { SignalDefinition } from '@temporalio/workflow';

/** What a run knows of the messages that come to it. */
export interface MessageCounts {
  /** Handlers are being set: what they are given meanwhile came before the first task of this Temporal run. */
  isSettingHandlers: boolean;
  /** Messages that came in this Temporal run, whatever they said: each is an event (I12). */
  messages: { signals: number; updates: number };
}

/**
 * Listens to signals of one kind, also to those that came before the run's first task. Earlier histories hold runs
 * that dropped these, as they drop what unknown callers send (I14).
 */
export function listen<T>(
  counts: MessageCounts,
  signal: SignalDefinition<[T]>,
  heard: (message: T) => void | Promise<void>,
): void {
  setHandler(signal, (message) => {
    if (!counts.isSettingHandlers || patched('early-signals')) return heard(message);
    counts.messages.signals += 1;
  });
}
