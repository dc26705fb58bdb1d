import type { Traced } from '../../store/journal/entry.js';

/** What activities tell whoever counts, as it happens: each call of a model or a tool once, journalled ones never. */
export interface Measures {
  /** One that was made now. `failure` is the type of its failure; null where it was answered. */
  called(call: Pick<Traced, 'what' | 'name' | 'provider'>, ended: CallEnd): void;
  /** One try of an acting step has ended, and whether it was made again: by the interpreter, or by Temporal. */
  tried(kind: string, end: { failure: string | null; again: 'interpreter' | 'temporal' | null }): void;
  /** A root run has closed, and its record is there. */
  closed(run: string): void;
}

/** How a call ended. */
export interface CallEnd {
  seconds: number;
  failure: string | null;
  /** US dollars; null where nobody knows, absent where it costs nothing. */
  usd?: number | null;
  tokens?: { input: number; output: number };
}

let measures: Measures | null = null;

/** From now on this process tells what happens in it; null for nobody. */
export function measureBy(by: Measures | null): void {
  measures = by;
}

/** Tells it, where somebody counts. */
export function measure(tell: (measures: Measures) => void): void {
  if (measures !== null) tell(measures);
}
