import type { Gate, GateEnd } from '../../plan/gates/gate.js';
import type { Hash } from '../../plan/values/value.js';

/** The open gates of one run and how others ended. Update and signal run the same checks (decision 4). */
export interface GateBook {
  open: Map<string, Gate>;
  /** Gates as they were shown before the run continued as new, until they are shown again: they are open as well. */
  carried: Map<string, Gate>;
  decided: Map<string, GateEnd>;
  /** Hashes of what people have allowed for the rest of the run. */
  remembered: Set<Hash>;
  memo: GateMemo;
  /** Decisions must carry a token: it is checked where its key is. */
  wantsToken: boolean;
  /** Where receipts of decisions are kept; null where none are. */
  receipts: ReceiptPlace | null;
  /** Messages that came in this Temporal run, whatever they said: each is an event (I12). */
  messages: { signals: number; updates: number };
  /** Told of each message once it was taken in. */
  onMessage: () => void;
  /** Told of each gate that is shown, again after continuing as new, and when people are reminded or others asked. */
  onOpened: (gate: Gate) => void;
  /** Told when the list in the memo was written for a gate that has opened or ended. */
  onListed: () => void;
}

/** A tree of runs: its root's workflow id, and the scope of its journal. */
interface ReceiptPlace {
  run: string;
  scope: string;
}

/** Where `list --waiting` reads what waits for people, without a worker (decision 5). */
export interface GateMemo {
  /** Writes the list of open gates now, and how the one ended that was closed. */
  show(open: ReadonlyMap<string, Gate>, closed: GateEnd | null): void;
  /**
   * Writes that a gate has opened: one event for each gate, also where several open at one moment. When a run is
   * replayed, local activities that ended one after another end at once, so what opens together is no fact of history.
   * A list that is full is not written again: the event tells how many more there are.
   */
  showOpened(open: ReadonlyMap<string, Gate>): void;
}
