import type { Gate } from '../../plan/gates/gate.js';
import { optionText } from '../../plan/gates/option-text.js';
import type { OpenGate } from '../observe/view/view.js';
import type { Palette } from '../text/colors.js';
import { gateHash, plural } from '../text/format.js';
import { gateFacts, wantOf } from '../render/gate-words.js';
import { safeLine, safeName, safeText } from '../text/safe-text.js';
import { displayWidth, wrap, wrapLines } from '../text/width.js';

/** The answers to a question that takes a key of its own. They stand on one line, so that no terminal parts them. */
export const YES_OR_NO = 'yes [y]   any other key: no';

/** Lines of the screen that are not the content's: what is asked, its frame, the keys, and what stands around. */
const OTHER_LINES = 8;
const LONGEST_RULE = 76;
const INDENT = '  ';
/** Before each line of the content, and before what goes on on the next. */
const GUTTERS = ['  │ ', '  ┊ '];

export interface GateStyle {
  /** Columns; without end where another program reads the lines. */
  width: number;
  /** Lines of the screen; null to show all. */
  height: number | null;
  palette: Palette;
}

/**
 * The gate as it is shown: what is asked, its hash, and of the content as much as the screen has room for; what is left
 * out is counted.
 */
export function renderGate(gate: OpenGate, content: string | null, style: GateStyle): string[] {
  return layoutGate(gate, content, style).lines;
}

/** How many of the lines that a gate takes are not on the screen when it was just shown. */
export function unseenLines(gate: OpenGate, content: string | null, style: GateStyle): number {
  return layoutGate(gate, content, style).unseen;
}

/** What a gate may be answered with, wrapped as the rest of it: each line counts as one of the screen. */
export function optionLines({ options }: Gate, width: number): string[] {
  if (options === undefined) return [];
  return wrap(`one of: ${options.map(optionText).join(' · ')}`, width - INDENT.length).map(
    (line) => `${INDENT}${line}`,
  );
}

/** Both at once: what `renderGate` and `unseenLines` give. */
export function layoutGate(
  { address, gate }: OpenGate,
  content: string | null,
  style: GateStyle,
): { lines: string[]; unseen: number } {
  const { width, height, palette } = style;
  const facts = gateFacts(gate, Date.now()).filter((fact) => fact !== 'no deadline');
  const head = [
    ...titleLines(`◆ ${safeName(address)} ${wantOf(gate)}: ${safeLine(gate.message)}`, gateHash(gate.hash), style),
    ...(facts.length === 0
      ? []
      : wrap(facts.join(' · '), width - INDENT.length).map((line) => palette.dim(`${INDENT}${line}`))),
  ];
  const tooHigh = height === null ? 0 : Math.max(0, head.length + OTHER_LINES - 1 - height);
  if (content === null)
    return { lines: head, unseen: height === null ? 0 : Math.max(0, head.length + MARGIN - height) };
  const { lines, hidden } = frame(
    content,
    style,
    height === null ? Infinity : Math.max(0, height - OTHER_LINES - head.length + 1),
  );
  return { lines: [...head, ...lines], unseen: hidden + Math.min(head.length, tooHigh) };
}

/** The line above a gate, its keys, and the line of the cursor. */
const MARGIN = 3;

function titleLines(title: string, hash: string, { width, palette }: GateStyle): string[] {
  const room = Math.min(width, displayWidth(title) + displayWidth(hash) + 2) - displayWidth(hash) - 2;
  const fill = Number.isFinite(width) ? width - displayWidth(title) - displayWidth(hash) : 2;
  if (displayWidth(title) <= room)
    return [`${palette.tone('attention', title)}${' '.repeat(fill)}${palette.dim(hash)}`];
  return [
    ...wrap(title, width - INDENT.length).map((line, index) =>
      palette.tone('attention', index === 0 ? line : `${INDENT}${line}`),
    ),
    palette.dim(`${INDENT}${hash}`),
  ];
}

/** The content's lines, wrapped, at most `room` of them, and how many more there are. */
export function frame(
  content: string,
  { width, palette }: Pick<GateStyle, 'width' | 'palette'>,
  room: number,
): { lines: string[]; hidden: number } {
  const written = wrapLines(safeText(content.replace(/\n+$/, '')), width - INDENT.length * 2);
  const all = written.flatMap((pieces) =>
    pieces.map((piece, index) => `${palette.dim(GUTTERS[index === 0 ? 0 : 1] ?? '')}${piece}`),
  );
  const shown = all.slice(0, room);
  const hidden = all.length - shown.length;
  const label = ` ${plural(written.length, 'line')}${hidden > 0 ? '; `e` opens it' : ''} `;
  const rule = '─'.repeat(Math.max(0, Math.min(width, LONGEST_RULE) - displayWidth(label) - 4));
  return {
    lines: [
      ...wrap(`  ┌─${label}${rule}`, width).map((line) => palette.dim(line)),
      ...shown,
      ...(hidden > 0 ? [palette.dim(`  ╰ … ${plural(hidden, 'more line')}`)] : []),
    ],
    hidden,
  };
}
