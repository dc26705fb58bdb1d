/** So many known names are compared; a file full of wrong names must not take quadratic time. */
const MAX_COMPARED = 200;
/** Likewise, names of other lengths included. */
const MAX_SEEN = 5_000;
/** So many characters a person mistypes: to look further takes time by the square of a name's length. */
const MAX_EDITS = 5;

/** The known name that a person most likely meant, or null when none is near. */
export function nearest(name: string, known: Iterable<string>): string | null {
  const wanted = name.slice(0, 64).toLowerCase();
  const limit = Math.min(MAX_EDITS, Math.max(1, Math.floor(wanted.length / 3)));
  let best: string | null = null;
  let least = limit + 1;
  let compared = 0;
  let seen = 0;
  for (const candidate of known) {
    if (++seen > MAX_SEEN) break;
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    if (++compared > MAX_COMPARED) break;
    const distance = distanceOf(wanted, candidate.toLowerCase(), least);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** ``did you mean `x`?``, or null. */
export function didYouMean(name: string, known: Iterable<string>): string | null {
  const near = nearest(name, known);
  return near === null ? null : meansPerhaps(near);
}

/** Says that a name was perhaps meant for this one; `fixOf` reads it. */
export function meansPerhaps(name: string): string {
  return `did you mean \`${name}\`?`;
}

/**
 * Optimal string alignment distance: insertions, deletions, substitutions, and swaps of neighbours. `enough` where it
 * is that or more: cells further from the diagonal are not looked at, and neither is what comes after two such rows.
 */
function distanceOf(a: string, b: string, enough: number): number {
  if (Math.abs(a.length - b.length) >= enough) return enough;
  let [before, previous, current] = ROWS;
  for (let column = 0; column <= Math.min(b.length, enough); column++) previous[column] = column;
  let least = 0;
  for (let row = 1; row <= a.length; row++) {
    const from = Math.max(1, row - enough + 1);
    const to = Math.min(b.length, row + enough - 1);
    const leastBefore = least;
    current[from - 1] = least = from === 1 ? Math.min(row, enough) : enough;
    for (let column = from; column <= to; column++) {
      const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1);
      let cost = Math.min(
        enough,
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
      );
      if (!same && isSwapped(a, b, row, column)) cost = Math.min(cost, at(before, column - 2) + 1);
      current[column] = cost;
      if (cost < least) least = cost;
    }
    current[to + 1] = enough;
    if (least >= enough && leastBefore >= enough) return enough;
    [before, previous, current] = [previous, current, before];
  }
  return at(previous, b.length);
}

/** The last three rows: made anew for each name, they would take longer than to compare it. */
const ROWS: [number[], number[], number[]] = [[], [], []];

function at(row: number[], column: number): number {
  return row[column] ?? 0; // each cell that is asked for was set
}

function isSwapped(a: string, b: string, row: number, column: number): boolean {
  return row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
}
