/**
 * What may be wrong with a simulated board: it says nothing, or nonsense; it gives back other bytes than were written;
 * it hangs, or loses its power, while it writes; it is another chip.
 */
export const BOARD_FAULTS = ['mute', 'garbage', 'corrupt', 'hang', 'power-cut', 'wrong-part'] as const;

export interface BoardFault {
  kind: (typeof BOARD_FAULTS)[number];
  /** The block at which `hang` and `power-cut` strike, from 0. */
  block: number;
  /** How many connections have it, before the board is sound; Infinity for all. */
  times: number;
}

/** `mute`, `hang:3`, `power-cut:2x1`: a kind, a block, and for how many connections. Null for anything else. */
export function parseFault(text: string): BoardFault | null {
  const [, name, block = '0', times] = /^([a-z-]+)(?::(\d{1,4}))?(?:x(\d{1,4}))?$/.exec(text) ?? [];
  const kind = BOARD_FAULTS.find((known) => known === name);
  return kind === undefined
    ? null
    : { kind, block: Number(block), times: times === undefined ? Infinity : Number(times) };
}

/** The text that `parseFault` reads. */
export function faultText({ kind, block, times }: BoardFault): string {
  return `${kind}:${block}${times === Infinity ? '' : `x${times}`}`;
}
