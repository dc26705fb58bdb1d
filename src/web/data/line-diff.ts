/** A line of one of two texts, or of both. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** What people are shown of a diff: lines, and how many are left out between them. */
export type DiffPart = DiffLine | { kind: 'same-left' | 'differing-left'; count: number };

/** So many lines that are the same stand around those which differ. */
const AROUND = 3;
/** So many lines that differ are shown. */
const MOST_DIFFERING = 2_000;

/** Beyond so many pairs of lines nothing in between is compared. */
const MOST_PAIRS = 4_000_000;

/** The lines of two texts, so that as many as possible stand for both (longest common subsequence). */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  const shorter = Math.min(old.length, fresh.length) - head;
  while (tail < shorter && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...old.slice(0, head).map(same),
    ...between(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...old.slice(old.length - tail).map(same),
  ];
}

/** A diff as people read it: without what is far from all that differs, and of what differs the first lines. */
export function shownParts(lines: DiffLine[]): DiffPart[] {
  const parts: DiffPart[] = [];
  let same: DiffLine[] = [];
  let differing = 0;
  const leave = (isLast: boolean): void => {
    const head = parts.length === 0 ? 0 : AROUND;
    const tail = isLast ? 0 : AROUND;
    const count = same.length - head - tail;
    // A line in the place of one saves nothing.
    if (count < 2) parts.push(...same);
    else parts.push(...same.slice(0, head), { kind: 'same-left', count }, ...same.slice(same.length - tail));
    same = [];
  };
  for (const line of lines) {
    if (line.kind === 'same') same.push(line);
    else {
      differing += 1;
      if (differing > MOST_DIFFERING) continue;
      leave(false);
      parts.push(line);
    }
  }
  if (differing > MOST_DIFFERING) parts.push({ kind: 'differing-left', count: differing - MOST_DIFFERING });
  else leave(true);
  return parts;
}

function between(old: string[], fresh: string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  const width = fresh.length + 1;
  if (old.length * fresh.length > MOST_PAIRS) return [...old.map(removed), ...fresh.map(added)];
  // How many lines the rests of both have in common.
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1)
      common[i * width + j] = old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    const [left, right] = [old[i], fresh[j]];
    if (left !== undefined && left === right) {
      lines.push({ kind: 'same', text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(left));
      i += 1;
    } else if (right !== undefined) {
      lines.push(added(right));
      j += 1;
    }
  }
  return lines;
}
