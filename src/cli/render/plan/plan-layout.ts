import { Graph, layout } from './dagre.js';
import { inOrder } from './plan-arrows.js';
import type { Box, Picture } from './plan-picture.js';
import type { Arrow } from './arrow.js';
import { kindWord } from './plan-picture.js';
import { safeLine } from '../../text/safe-text.js';
import { clip, displayWidth, wrap } from '../../text/width.js';

/** Widest text of a box, in columns. */
const COLUMNS = 38;
/** Pixels, for a fixed-width font of 12 px. */
export const COLUMN = 7.3;
export const LINE = 17;
const PADDING = 12;
const NARROWEST = 96;
const BETWEEN = 28;
const BETWEEN_RANKS = 56;
/** Around the members of a group; its name stands above them. */
const FRAME = 10;
const FRAME_TITLE = 20;
/**
 * Beyond so many steps or arrows in one scope the layout library takes long or overflows its stack (measured: 2,000
 * steps in a row).
 */
const MOST_BOXES = 250;
const MOST_ARROWS = 600;
const PER_ROW = 12;

export interface Point {
  x: number;
  y: number;
}

export interface Area extends Point {
  width: number;
  height: number;
}

/** A box at its place; `x` and `y` are its upper left corner within its picture. */
export interface LaidBox extends Area {
  box: Box;
  lines: BoxLine[];
  inside: LaidPicture | null;
  /** Where the inside begins, below the box's own lines. */
  insideAt: Point;
}

export interface BoxLine {
  text: string;
  role: 'kind' | 'name' | 'what' | 'condition' | 'state';
}

/** A picture with everything at its place, in pixels. */
export interface LaidPicture {
  width: number;
  height: number;
  boxes: LaidBox[];
  frames: (Area & { name: string })[];
  /** The points that each arrow goes through. */
  lines: Point[][];
}

/**
 * Lays a picture out from top to bottom, what steps consist of within their boxes. The same picture gives the same
 * layout.
 */
export function layOut(picture: Picture): LaidPicture {
  const sized = picture.boxes.map(sizeOf);
  const small = sized.length <= MOST_BOXES && picture.arrows.length <= MOST_ARROWS;
  return small ? layOutWithDagre(picture, sized) : layOutInRows(picture, sized);
}

function sizeOf(box: Box): LaidBox {
  const lines = linesOf(box);
  const inside = box.inside === null || box.inside === 'shown' ? null : layOut(box.inside);
  const text = Math.max(...lines.map((line) => displayWidth(line.text))) * COLUMN;
  const head = lines.length * LINE + 2 * PADDING - 6;
  return {
    box,
    lines,
    inside,
    x: 0,
    y: 0,
    width: Math.max(NARROWEST, text + 2 * PADDING, (inside?.width ?? 0) + 2 * PADDING),
    height: head + (inside === null ? 0 : inside.height + PADDING),
    insideAt: { x: PADDING, y: head },
  };
}

function linesOf({ kind, name, what, when, repeats, always, state, inside }: Box): BoxLine[] {
  const line = (role: BoxLine['role'], text: string | null): BoxLine[] =>
    text === null || text.trim() === '' ? [] : [{ role, text: clip(safeLine(text), COLUMNS) }];
  const lines = (role: BoxLine['role'], text: string | null): BoxLine[] =>
    text === null ? [] : wrap(clip(safeLine(text), 3 * COLUMNS), COLUMNS).flatMap((part) => line(role, part));
  return [
    ...line('kind', name === kindWord(kind) ? null : kindWord(kind)),
    ...line('name', name),
    ...line('what', what === name ? null : what),
    ...lines('condition', when === null ? null : `if ${when}`),
    ...lines('condition', repeats),
    ...line('condition', always ? 'always, at the end' : null),
    ...line('what', inside === 'shown' ? 'steps as above' : null),
    ...line('state', state?.text ?? null),
  ];
}

function layOutWithDagre({ arrows, groups }: Picture, boxes: LaidBox[]): LaidPicture {
  const graph = new Graph({ compound: true });
  graph.setGraph({ rankdir: 'TB', nodesep: BETWEEN, ranksep: BETWEEN_RANKS, marginx: FRAME, marginy: FRAME });
  graph.setDefaultEdgeLabel(() => ({}));
  boxes.forEach(({ width, height }, position) => graph.setNode(`box-${position}`, { width, height }));
  groups.forEach(({ members }, number) => {
    graph.setNode(`group-${number}`, {});
    for (const member of members) graph.setParent(`box-${member}`, `group-${number}`);
  });
  for (const { from, to } of arrows) graph.setEdge(`box-${from}`, `box-${to}`);
  layout(graph);
  boxes.forEach((box, position) => {
    const { x, y } = graph.node(`box-${position}`);
    Object.assign(box, { x: x - box.width / 2, y: y - box.height / 2 });
  });
  const lines = routes(arrows, boxes, ({ from, to }) => graph.edge(`box-${from}`, `box-${to}`).points);
  return inSourceOrder(bounded({ boxes, frames: framesOf(groups, boxes), lines }));
}

/**
 * The library sorts neighbours by crossings alone: where the mirror image has more of them in the order of the source,
 * it is taken.
 */
function inSourceOrder(picture: LaidPicture): LaidPicture {
  const turns = picture.boxes.map((box, position) => {
    const next = picture.boxes[position + 1];
    return next === undefined || Math.abs(centre(next).y - centre(box).y) > 1 ? 0 : Math.sign(next.x - box.x);
  });
  if (turns.reduce<number>((sum, turn) => sum + turn, 0) >= 0) return picture;
  for (const area of [...picture.boxes, ...picture.frames]) area.x = picture.width - area.x - area.width;
  for (const point of picture.lines.flat()) point.x = picture.width - point.x;
  return picture;
}

/** Steps that may run at once in one row, as far as they have room; arrows go straight. */
function layOutInRows({ arrows, groups }: Picture, boxes: LaidBox[]): LaidPicture {
  const needs = boxes.map((): number[] => []);
  for (const { from, to } of arrows) needs[to]?.push(from);
  const ranks = new Map<number, number[]>();
  const rankOf: number[] = [];
  for (const position of inOrder(needs)) {
    const rank = 1 + Math.max(-1, ...(needs[position] ?? []).map((need) => rankOf[need] ?? 0));
    rankOf[position] = rank;
    ranks.set(rank, [...(ranks.get(rank) ?? []), position]);
  }
  let y = FRAME + FRAME_TITLE;
  for (const [, members] of [...ranks].sort(([a], [b]) => a - b)) {
    for (let first = 0; first < members.length; first += PER_ROW) {
      const row = members.slice(first, first + PER_ROW).flatMap((position) => boxes[position] ?? []);
      let x = FRAME;
      for (const box of row) {
        Object.assign(box, { x, y });
        x += box.width + BETWEEN;
      }
      y += Math.max(...row.map(({ height }) => height)) + BETWEEN_RANKS;
    }
  }
  const lines = routes(arrows, boxes, () => []);
  // Rows break groups apart, so a frame around one would hold others: each member's own frame names it.
  const frames = groups.flatMap(({ name, members }) =>
    members.flatMap((member) => framesOf([{ name, members: [member] }], boxes)),
  );
  return bounded({ boxes, frames, lines });
}

/**
 * The points of each arrow: down from the middle of a box, straight past the boxes of the ranks it crosses, and down
 * into the middle of the next. `way` gives the library's points, of which the first and the last lie at the boxes.
 */
function routes(arrows: Arrow[], boxes: LaidBox[], way: (arrow: Arrow) => Point[]): Point[][] {
  const ranks = new Map<number, number>();
  for (const box of boxes) {
    const y = Math.round(centre(box).y);
    ranks.set(y, Math.max(ranks.get(y) ?? 0, box.height / 2));
  }
  const past = ({ x, y }: Point): Point[] => {
    const half = ranks.get(Math.round(y));
    return half === undefined
      ? []
      : [
          { x, y: y - half },
          { x, y: y + half },
        ];
  };
  return arrows.flatMap((arrow) => {
    const [source, target] = [boxes[arrow.from], boxes[arrow.to]];
    if (source === undefined || target === undefined) return [];
    const [start, end] = [centre(source), centre(target)];
    return [
      [
        { x: start.x, y: source.y + source.height },
        ...past(start).slice(1),
        ...way(arrow).slice(1, -1).flatMap(past),
        ...past(end).slice(0, 1),
        { x: end.x, y: target.y },
      ],
    ];
  });
}

function centre({ x, y, width, height }: Area): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

function framesOf(groups: Picture['groups'], boxes: LaidBox[]): LaidPicture['frames'] {
  return groups.flatMap(({ name, members }) => {
    const areas = members.flatMap((member) => boxes[member] ?? []);
    if (areas.length === 0) return [];
    const x = Math.min(...areas.map((area) => area.x)) - FRAME;
    const y = Math.min(...areas.map((area) => area.y)) - FRAME_TITLE;
    const right = Math.max(...areas.map((area) => area.x + area.width)) + FRAME;
    const bottom = Math.max(...areas.map((area) => area.y + area.height)) + FRAME;
    return [{ name, x, y, width: right - x, height: bottom - y }];
  });
}

/** Moves all so that nothing lies left of or above the corner, and measures the whole. */
function bounded(picture: Omit<LaidPicture, 'width' | 'height'>): LaidPicture {
  const areas: Area[] = [...picture.boxes, ...picture.frames];
  const points = picture.lines.flat();
  const left = Math.min(FRAME, ...areas.map(({ x }) => x), ...points.map(({ x }) => x));
  const top = Math.min(FRAME, ...areas.map(({ y }) => y), ...points.map(({ y }) => y));
  for (const place of [...areas, ...points]) Object.assign(place, { x: place.x - left, y: place.y - top });
  return {
    ...picture,
    width: Math.max(...areas.map(({ x, width }) => x + width), ...points.map(({ x }) => x)),
    height: Math.max(...areas.map(({ y, height }) => y + height), ...points.map(({ y }) => y)),
  };
}
