import type { CurvePoint, CurveResult } from './curve.js';

const [WIDTH, HEIGHT] = [720, 400];
const PLOT = { left: 70, right: 690, top: 60, bottom: 340 };
const COLORS = { ours: '#1d4ed8', theirs: '#b45309' } as const;
const LABELS = { ours: 'Perdure', theirs: 'hand-written' } as const;
const LINES = 5;

type Side = keyof typeof COLORS;

/** A curve as an SVG document: what grows along a logarithmic axis, milliseconds per unit upwards from zero. */
export function pictureOf({ curve, points }: CurveResult): string {
  const top = roundUp(Math.max(...points.flatMap(({ ours, theirs }) => [ours.high, theirs.high])));
  const x = scale(
    points.map(({ at }) => Math.log(at)),
    PLOT.left + 20,
    PLOT.right - 20,
  );
  const y = (value: number): number => PLOT.bottom - (value / top) * (PLOT.bottom - PLOT.top);
  const place = (side: Side) => (point: CurvePoint) => ({ x: x(Math.log(point.at)), y: y(point[side].median) });
  const parts = [
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    label(PLOT.left, 26, curve.title, 'font-size="16" font-weight="600"'),
    ...levels(top).map(
      (level) =>
        `<path d="M${PLOT.left} ${fixed(y(level))}H${PLOT.right}" ` +
        `stroke="#e5e7eb"/>${label(PLOT.left - 8, y(level) + 4, String(level), 'text-anchor="end"')}`,
    ),
    `<path d="M${PLOT.left} ${PLOT.top}V${PLOT.bottom}H${PLOT.right}" fill="none" stroke="#374151"/>`,
    ...points.map(({ at }) =>
      label(x(Math.log(at)), PLOT.bottom + 20, at.toLocaleString('en-US'), 'text-anchor="middle"'),
    ),
    label((PLOT.left + PLOT.right) / 2, HEIGHT - 16, `${curve.across} (logarithmic)`, 'text-anchor="middle"'),
    label(
      18,
      (PLOT.top + PLOT.bottom) / 2,
      `ms per ${curve.unit}`,
      `text-anchor="middle" transform="rotate(-90 18 ${(PLOT.top + PLOT.bottom) / 2})"`,
    ),
    ...(['theirs', 'ours'] as const).map((side) => series(points.map(place(side)), COLORS[side])),
    ...(['ours', 'theirs'] as const).map((side, index) => legend(PLOT.right - 120, 20 + index * 20, side)),
  ];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" ` +
    `font-family="system-ui, sans-serif" font-size="13" fill="#111827" role="img" ` +
    `aria-label="${escape(curve.title)}">\n${parts.join('\n')}\n</svg>\n`
  );
}

function series(places: { x: number; y: number }[], color: string): string {
  const line = places.map(({ x, y }) => `${fixed(x)},${fixed(y)}`).join(' ');
  const dots = places.map(({ x, y }) => `<circle cx="${fixed(x)}" cy="${fixed(y)}" r="4"/>`).join('');
  return `<g fill="${color}"><polyline points="${line}" fill="none" stroke="${color}" stroke-width="2"/>${dots}</g>`;
}

function legend(x: number, y: number, side: Side): string {
  return `<circle cx="${x}" cy="${y}" r="4" fill="${COLORS[side]}"/>${label(x + 10, y + 4, LABELS[side], '')}`;
}

function label(x: number, y: number, words: string, attributes: string): string {
  return `<text x="${fixed(x)}" y="${fixed(y)}" ${attributes}>${escape(words)}</text>`;
}

/** Maps the span of `values` to the span from `from` to `to`. */
function scale(values: number[], from: number, to: number): (value: number) => number {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return (value) => (most === least ? (from + to) / 2 : from + ((value - least) / (most - least)) * (to - from));
}

function levels(top: number): number[] {
  return Array.from({ length: LINES + 1 }, (_, index) => Number(((top / LINES) * index).toPrecision(3)));
}

/** The next of 1, 2, 5, 10, 20, 50, … or a multiple between that five lines divide well. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10].find((step) => step * power >= value) ?? 10) * power;
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escape(words: string): string {
  return words.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
