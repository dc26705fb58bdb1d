/** So many known names are compared; a file full of wrong names must not take quadratic time. */
const MAX_COMPARED = 200;
/** Likewise, names of other lengths included. */
const MAX_SEEN = 5_000;

/** The known name that a person most likely meant, or null when none is near. */
export function nearest(name: string, known: Iterable<string>): string | null {
  const wanted = name.slice(0, 64).toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | null = null;
  let least = limit + 1;
  let compared = 0;
  let seen = 0;
  for (const candidate of known) {
    if (++seen > MAX_SEEN) break;
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    if (++compared > MAX_COMPARED) break;
    const distance = distanceOf(wanted, candidate.toLowerCase());
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

/** Optimal string alignment distance: insertions, deletions, substitutions, and swaps of neighbours. */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? a.length;
}
