/**
 * Deterministic random numbers for campaigns, drawn by `PERDURE_SEED` (the commit's hash unless set): a failing run is
 * repeated by its seed. `PERDURE_FULL=1` runs the whole campaign.
 */
export const FULL = process.env['PERDURE_FULL'] === '1';

/** What the campaigns of this run are drawn by. */
export const SEED = process.env['PERDURE_SEED'] ?? 'none';

/** A generator of numbers in [0, 1): mulberry32 over a hash of the seed and a name. */
export function random(name: string, seed = SEED): () => number {
  let state = 2166136261;
  for (const character of `${seed} ${name}`) state = Math.imul(state ^ character.charCodeAt(0), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
