import type { Palette } from '../../text/colors.js';
import type { Box, Picture } from './plan-picture.js';
import { kindWord } from './plan-picture.js';
import { safeLine, safeName } from '../../text/safe-text.js';
import { clip, displayWidth, fit } from '../../text/width.js';

/** A label is cut where it would take more of the width. */
const LABEL_SHARE = 0.4;
const KIND_WIDTH = 8;
/** Levels that are indented; deeper ones stay there, so that there is room for words. */
const MOST_INDENTED = 8;

interface Row {
  /** The lines of the tree that lead to the row, and to what continues it. */
  branch: string;
  stem: string;
  label: string;
  kind: string;
  what: string;
  after: string;
  /** Conditions, each on a line of its own below. */
  notes: string[];
  attention: boolean;
}

/** A picture as a tree in lines of at most `width` columns. */
export function renderTree(picture: Picture, width: number, palette: Palette): string[] {
  const rows = rowsOf(picture, { stem: '  ', depth: 0 });
  const labels = Math.min(
    Math.floor(width * LABEL_SHARE),
    Math.max(0, ...rows.map(({ branch, label }) => displayWidth(branch + label))),
  );
  return rows.flatMap((row) => linesOf(row, { labels, width, palette }));
}

interface Place {
  stem: string;
  depth: number;
}

function rowsOf(picture: Picture, place: Place): Row[] {
  const grouped = new Map(picture.groups.map(({ name, members }) => [name, members]));
  const shown = new Set<string>();
  const items = picture.boxes.flatMap((box, position): (number | string)[] => {
    if (box.group === null || !grouped.has(box.group)) return [position];
    if (shown.has(box.group)) return [];
    shown.add(box.group);
    return [box.group];
  });
  return items.flatMap((item, number) => {
    const isLast = number === items.length - 1;
    if (typeof item === 'number') return boxRows(picture, item, place, { isLast });
    const members = grouped.get(item) ?? [];
    const { branch, inner } = below(place, isLast);
    const common = commonNeed(picture, members);
    const heading: Row = {
      branch,
      stem: inner.stem,
      label: `▾ ${safeName(item)}`,
      kind: '',
      what: `${members.length} in parallel`,
      after: common ?? '',
      notes: [],
      attention: false,
    };
    return [
      heading,
      ...members.flatMap((member, at) =>
        boxRows(picture, member, inner, { isLast: at === members.length - 1, inCommon: common !== null }),
      ),
    ];
  });
}

/** What all members of a group come after, where that is the same; it then stands at the group. */
function commonNeed(picture: Picture, members: number[]): string | null {
  const [first = '', ...others] = members.map((member) => afterOf(picture, member, members[0] ?? member));
  return others.length > 0 && others.every((other) => other === first) ? first : null;
}

function boxRows(
  picture: Picture,
  position: number,
  place: Place,
  { isLast, inCommon = false }: { isLast: boolean; inCommon?: boolean },
): Row[] {
  const box = picture.boxes[position];
  if (box === undefined) return [];
  const { branch, inner } = below(place, isLast);
  const row: Row = {
    branch,
    stem: box.inside !== null && box.inside !== 'shown' ? `${inner.stem}│ ` : `${inner.stem}  `,
    label: `${box.index} ${safeName(box.name)}`,
    kind: kindWord(box.kind),
    what: safeLine(box.inside === 'shown' ? `${box.what} (steps as above)` : box.what),
    after: inCommon ? '' : afterOf(picture, position, position),
    notes: notesOf(box),
    attention: box.kind === 'approval' || box.kind === 'ask',
  };
  return [row, ...(box.inside === null || box.inside === 'shown' ? [] : rowsOf(box.inside, inner))];
}

function below({ stem, depth }: Place, isLast: boolean): { branch: string; inner: Place } {
  if (depth >= MOST_INDENTED) return { branch: stem, inner: { stem, depth } };
  return {
    branch: `${stem}${isLast ? '└ ' : '├ '}`,
    inner: { stem: `${stem}${isLast ? '  ' : '│ '}`, depth: depth + 1 },
  };
}

function notesOf({ when, repeats, always }: Box): string[] {
  return [
    ...(when === null ? [] : [`if ${when}`]),
    ...(repeats === null ? [] : [repeats]),
    ...(always ? ['always, also when the run was stopped'] : []),
  ].map(safeLine);
}

/** Steps and groups that come before, but for the one written just above `written`. */
function afterOf({ boxes, arrows }: Picture, position: number, written: number): string {
  const sources = arrows.filter(({ to }) => to === position).map(({ from }) => from);
  if (sources.length === 1 && sources[0] === written - 1) return '';
  const names = sources.flatMap((source) => {
    const box = boxes[source];
    return box === undefined ? [] : [safeName(box.group ?? box.path.split('/').at(-1) ?? '')];
  });
  return names.length === 0 ? '' : `after ${[...new Set(names)].join(', ')}`;
}

function linesOf(
  { branch, stem, label, kind, what, after, notes, attention }: Row,
  { labels, width, palette }: { labels: number; width: number; palette: Palette },
): string[] {
  const head = palette.dim(branch) + fit(label, Math.max(1, labels - displayWidth(branch)));
  const used = Math.max(labels, displayWidth(branch) + 1);
  const room = Math.max(0, width - used - KIND_WIDTH - 4);
  const shownAfter = clip(after, Math.floor(room / 2));
  const detail = clip(what, room - (shownAfter === '' ? 0 : displayWidth(shownAfter) + 2));
  const word = attention ? palette.tone('attention', fit(kind, KIND_WIDTH)) : palette.dim(fit(kind, KIND_WIDTH));
  const first =
    `${head}  ${word}  ` +
    `${detail}${shownAfter === '' ? '' : palette.dim(`${detail === '' ? '' : '  '}${shownAfter}`)}`;
  return [first.trimEnd(), ...notes.map((note) => palette.dim(`${stem}${clip(note, width - displayWidth(stem))}`))];
}
