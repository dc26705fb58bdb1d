import type { RunView } from '../observe/view/view.js';
import type { Palette } from '../text/colors.js';
import type { Row, Says } from './rows.js';
import { rowsOf } from './rows.js';
import { clip, displayWidth, fit } from '../text/width.js';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const LABEL_SHARE = 0.4;
const WIDEST_KIND = 18;
/** Below so many columns the kind makes room for what happens. */
const NARROW = 60;
const GAP = '  ';

export interface TreeStyle {
  /** Columns that may be used. */
  width: number;
  palette: Palette;
  /** Counts up; moves the mark of what runs. */
  frame: number;
}

/** A run's tree as lines of at most `width` columns. */
export function renderTree(
  view: RunView,
  options: { now: number; expand: boolean; says?: Says },
  style: TreeStyle,
): string[] {
  const rows = rowsOf(view, options);
  const columns = columnsFor(rows, style.width);
  return rows.flatMap((row) => [renderRow(row, columns, style), ...wordsBelow(row, style)]);
}

/** Of words that are wider than the line the end is shown: it is what was said last. */
function wordsBelow({ depth, words }: Row, { width, palette }: TreeStyle): string[] {
  if (words === undefined) return [];
  const indent = '  '.repeat(depth + 2);
  let shown = words;
  for (let from = 0; displayWidth(shown) > width - indent.length; shown = `…${words.slice(from)}`) from += 4;
  return [`${indent}${palette.dim(shown)}`];
}

interface Columns {
  label: number;
  kind: number;
  detail: number;
  time: number;
  cost: number;
}

function columnsFor(rows: Row[], width: number): Columns {
  const widest = (measure: (row: Row) => string): number =>
    Math.max(0, ...rows.map((row) => displayWidth(measure(row))));
  const label = Math.min(widest(head), Math.floor(width * LABEL_SHARE));
  const kind =
    width < NARROW
      ? 0
      : Math.min(
          widest((row) => row.kind),
          WIDEST_KIND,
        );
  const time = widest((row) => row.time);
  const cost = widest((row) => row.cost);
  const gaps = [kind, time, cost].filter((column) => column > 0).length + 1;
  return { label, kind, time, cost, detail: Math.max(0, width - label - kind - time - cost - gaps * GAP.length) };
}

/** Indent, mark and label, as wide as they will be. */
function head(row: Row): string {
  return `${'  '.repeat(row.depth + 1)}${row.mark ?? SPINNER[0] ?? ''} ${row.label}`;
}

function renderRow(row: Row, columns: Columns, { palette, frame, width }: TreeStyle): string {
  const indent = '  '.repeat(row.depth + 1);
  const mark = row.mark ?? SPINNER[frame % SPINNER.length] ?? '';
  const isHeading = row.mark === '▾';
  if (isHeading) {
    const left = `${indent}${mark} ${row.label}`;
    return `${left}${palette.dim(row.detail.padStart(Math.max(0, width - displayWidth(left))))}`;
  }
  const label = fit(row.label, columns.label - indent.length - 2);
  const cells = [`${indent}${palette.tone(row.tone, mark)} ${row.tone === 'quiet' ? palette.dim(label) : label}`];
  if (columns.kind > 0) cells.push(palette.dim(fit(row.kind, columns.kind)));
  cells.push(paint(row, fit(clip(row.detail, columns.detail), columns.detail), palette));
  if (columns.time > 0) cells.push(palette.dim(row.time.padStart(columns.time)));
  if (columns.cost > 0) cells.push(palette.dim(row.cost.padStart(columns.cost)));
  return cells.join(GAP).trimEnd();
}

function paint(row: Row, text: string, palette: Palette): string {
  return row.tone === 'bad' || row.tone === 'attention' || row.tone === 'quiet' ? palette.tone(row.tone, text) : text;
}

/**
 * The part of a tree that fits in `height` lines: around the first line of what goes on, with what is left out counted.
 */
export function windowOf(lines: string[], focus: number, height: number): string[] {
  if (lines.length <= height) return lines;
  const room = Math.max(1, height - 2);
  const first = Math.max(0, Math.min(focus - Math.floor(room / 3), lines.length - room));
  const below = lines.length - first - room;
  return [
    ...(first > 0 ? [`  … ${first} above`] : []),
    ...lines.slice(first, first + room),
    ...(below > 0 ? [`  … ${below} below`] : []),
  ];
}
