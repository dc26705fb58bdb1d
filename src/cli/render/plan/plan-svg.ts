import type { Plan } from '../../../plan/plan.js';
import type { BoxLine, LaidBox, LaidPicture, Point } from './plan-layout.js';
import { layOut, LINE } from './plan-layout.js';
import type { Box, BoxState } from './plan-picture.js';
import { kindWord, pictureOf } from './plan-picture.js';
import { shortHash } from '../../text/format.js';
import { escapeHidden } from '../../../plan/text/safe-text.js';

const MARGIN = 16;
const HEAD = 40;

/**
 * A Plan as an SVG document that stands alone: no script, no font, nothing loaded from elsewhere. With `states`, by
 * path, it is the graph of a run.
 */
export function planSvg(plan: Plan, states: ReadonlyMap<string, BoxState> | null = null): string {
  const laid = layOut(pictureOf(plan, states));
  const width = Math.ceil(Math.max(laid.width, 220) + 2 * MARGIN);
  const height = Math.ceil(laid.height + HEAD + 2 * MARGIN);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ` +
      `${height}" role="img">`,
    `<title>${escape(plan.name)}</title>`,
    `<style>${STYLE}${states === null ? '' : STATE_STYLE}</style>`,
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" ` +
      `orient="90"><path class="tip"${fill(LIGHT.line)} d="M0 0.5 8 4 0 7.5z"/></marker></defs>`,
    `<rect class="paper"${fill(LIGHT.paper)} width="${width}" height="${height}"/>`,
    `<text class="name"${FONT} font-weight="700"${fill(LIGHT.ink)} x="${MARGIN}" ` +
      `y="${MARGIN + 12}">${escape(plan.name)}</text>`,
    `<text class="what"${FONT}${fill(LIGHT.dim)} x="${MARGIN}" y="${MARGIN + 28}">plan ${shortHash(plan.hash)}</text>`,
    ...pictureElements(laid, { x: MARGIN, y: MARGIN + HEAD }),
    '</svg>',
  ].join('\n');
}

function pictureElements({ frames, boxes, lines }: LaidPicture, at: Point): string[] {
  return [
    `<g transform="translate(${at.x} ${at.y})">`,
    ...frames.flatMap(({ name, x, y, width, height }) => [
      `<rect class="frame"${fill(LIGHT.frame)} stroke="${LIGHT.line}" stroke-dasharray="2 3" x="${round(x)}" ` +
        `y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="10"/>`,
      `<text class="group"${SMALL}${fill(LIGHT.dim)} x="${round(x + 10)}" y="${round(y + 14)}">${escape(name)}</text>`,
    ]),
    ...lines.map(
      (points) =>
        `<path class="arrow"${fill('none')} stroke="${LIGHT.line}" stroke-width="1.3" marker-end="url(#tip)" ` +
        `d="${curve(points)}"/>`,
    ),
    ...boxes.flatMap(boxElements),
    '</g>',
  ];
}

function boxElements({ box, x, y, width, height, lines, inside, insideAt }: LaidBox): string[] {
  const radius = box.kind === 'agent' ? 18 : box.kind === 'approval' || box.kind === 'ask' ? 0 : 6;
  return [
    `<g class="box ${kindWord(box.kind)}${box.when === null ? '' : ' optional'}${stateClass(box)}" ` +
      `transform="translate(${round(x)} ${round(y)})">`,
    `<title>${escape(fullText(box))}</title>`,
    `<rect${fill(colorOf(box))} ${stroke(box)}${box.when === null ? '' : ' stroke-dasharray="5 3"'} ` +
      `width="${round(width)}" height="${round(height)}" rx="${radius}"/>`,
    ...lines.map((line, number) => lineElement(line, number, width)),
    ...(inside === null
      ? []
      : pictureElements(inside, { x: round(insideAt.x + (width - 2 * insideAt.x - inside.width) / 2), y: insideAt.y })),
    '</g>',
  ];
}

function stateClass({ state }: Box): string {
  return state === undefined ? '' : ` is-${state.tone}`;
}

function stroke({ state }: Box): string {
  return state === undefined ? `stroke="${LIGHT.line}"` : `stroke="${TONES[state.tone]}" stroke-width="2"`;
}

function lineElement({ role, text }: BoxLine, number: number, width: number): string {
  const isSmall = role === 'kind';
  const color = fill(isSmall || role === 'what' ? LIGHT.dim : LIGHT.ink);
  const slant = role === 'condition' ? ' font-style="italic"' : '';
  return (
    `<text class="${role}"${isSmall ? SMALL : FONT}${color}${slant} ` +
    `x="${round(width / 2)}" y="${20 + number * LINE}" text-anchor="middle">${escape(text)}</text>`
  );
}

/** What a pointer over the box shows: everything, uncut. */
function fullText({ path, what, when, repeats }: Box): string {
  return [path, what, when === null ? '' : `if ${when}`, repeats ?? ''].filter((line) => line !== '').join('\n');
}

/** A line that leaves and enters each point going down, so that it turns only between ranks. */
function curve([first, ...rest]: Point[]): string {
  if (first === undefined) return '';
  let at = first;
  const parts = rest.flatMap((point) => {
    if (round(at.x) === round(point.x) && round(at.y) === round(point.y)) return [];
    const middle = round((at.y + point.y) / 2);
    const part =
      at.x === point.x
        ? `V${round(point.y)}`
        : `C${round(at.x)} ${middle} ${round(point.x)} ${middle} ${round(point.x)} ${round(point.y)}`;
    at = point;
    return part;
  });
  return `M${round(first.x)} ${round(first.y)}${parts.join('')}`;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** Text inside XML: markup becomes entities, and characters that XML does not have vanish. */
function escape(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return escapeHidden(text).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

const LIGHT = {
  paper: '#fff',
  ink: '#1f2328',
  dim: '#656d76',
  line: '#8c959f',
  frame: '#f6f8fa',
  agent: '#ddf4ff',
  command: '#eaeef2',
  workflow: '#fff',
  gate: '#fff8c5',
  flow: '#fbefff',
} as const;

/**
 * What is no browser knows no variables, and often no style sheet: each element says how it looks by itself, and the
 * sheet says it again.
 */
function fill(color: string): string {
  return ` fill="${color}"`;
}

const FONT = ' font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="12"';
const SMALL = FONT.replace('"12"', '"10"');

function colorOf({ kind }: Box): string {
  switch (kindWord(kind)) {
    case 'agent':
    case 'command':
      return LIGHT[kindWord(kind) as 'agent' | 'command']; // as just seen
    case 'workflow':
    case 'foreach':
    case 'loop':
      return LIGHT.workflow;
    case 'gate':
    case 'ask':
      return LIGHT.gate;
    default:
      return LIGHT.flow;
  }
}

const TONES = { good: '#1a7f37', bad: '#cf222e', attention: '#9a6700', active: '#0969da', quiet: '#8c959f' } as const;
const DARK_TONES = {
  good: '#3fb950',
  bad: '#ff7b72',
  attention: '#d29922',
  active: '#58a6ff',
  quiet: '#6e7681',
} as const;

function toneRules(tones: Record<keyof typeof TONES, string>): string {
  return Object.entries(tones)
    .map(([tone, color]) => `.is-${tone}>rect{stroke:${color};stroke-width:2}.is-${tone}>.state{fill:${color}}`)
    .join('');
}

const STATE_STYLE = `.state{font-weight:700}${toneRules(TONES)}
@media(prefers-color-scheme:dark){${toneRules(DARK_TONES)}}`;

const STYLE = `
svg{${Object.entries(LIGHT)
  .map(([name, color]) => `--${name}:${color}`)
  .join(';')};color-scheme:light dark}
@media(prefers-color-scheme:dark){svg{--paper:#0d1117;--ink:#e6edf3;--dim:#8d96a0;--line:#6e7681;--frame:#161b22;
--agent:#12283f;--command:#21262d;--workflow:#0d1117;--gate:#3b2f0b;--flow:#271d3a}}
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink)}
.name{font-weight:700}.kind,.what,.group{fill:var(--dim)}.condition{font-style:italic}
.kind,.group{font-size:10px;letter-spacing:.05em}
.paper{fill:var(--paper)}.frame{fill:var(--frame);stroke:var(--line);stroke-dasharray:2 3}
.arrow{fill:none;stroke:var(--line);stroke-width:1.3}.tip{fill:var(--line)}
.box>rect{fill:var(--flow);stroke:var(--line)}.agent>rect{fill:var(--agent)}.command>rect{fill:var(--command)}
.workflow>rect,.foreach>rect,.loop>rect{fill:var(--workflow)}
.gate>rect,.ask>rect{fill:var(--gate);stroke-width:2}.optional>rect{stroke-dasharray:5 3}`;
