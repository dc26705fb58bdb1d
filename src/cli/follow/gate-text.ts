import type { OpenGate } from '../observe/view.js';
import type { Palette } from '../render/colors.js';
import { gateHash, plural } from '../render/format.js';
import { gateFacts, wantOf } from '../render/gate-words.js';
import { safeLine, safeText } from '../render/safe-text.js';
import { clip, displayWidth, wrap } from '../render/width.js';

/** Lines of the screen that a gate leaves for what stands above and below its content. */
const OTHER_LINES = 8;

/** The gate as it is shown: what is asked, its hash, and the head of the content. */
export function renderGate({ address, gate }: OpenGate, content: string | null, style: { width: number; height: number; palette: Palette }): string[] {
  const { width, height, palette } = style;
  const hash = gateHash(gate.hash);
  const title = `◆ ${safeLine(address)} ${wantOf(gate)}: ${safeLine(gate.message)}`;
  const room = width - displayWidth(hash) - 2;
  const head = displayWidth(title) <= room ? [`${palette.tone('attention', title)}${' '.repeat(room - displayWidth(title) + 2)}${palette.dim(hash)}`] : [...wrap(title, width - 2).map((line, index) => palette.tone('attention', index === 0 ? line : `  ${line}`)), `  ${palette.dim(hash)}`];
  const facts = gateFacts(gate, Date.now()).filter((fact) => fact !== 'no deadline');
  return [...head, ...(facts.length === 0 ? [] : wrap(facts.join(' · '), width - 2).map((line) => palette.dim(`  ${line}`))), ...(content === null ? [] : frame(content, style, Math.max(3, height - OTHER_LINES)))];
}

function frame(content: string, { width, palette }: { width: number; palette: Palette }, room: number): string[] {
  const lines = safeText(content).trimEnd().split('\n').map((line) => line.replace(/\t/g, '    '));
  const shown = lines.slice(0, room);
  const isCut = shown.length < lines.length || shown.some((line) => displayWidth(line) > width - 4);
  const label = ` ${plural(lines.length, 'line')}${isCut ? '; `e` opens it' : ''} `;
  const more = shown.length < lines.length ? [palette.dim(`  ╰ … ${plural(lines.length - shown.length, 'more line')}`)] : [];
  return [
    palette.dim(`  ┌─${label}${'─'.repeat(Math.max(0, width - displayWidth(label) - 4))}`),
    ...shown.map((line) => `  ${palette.dim('│')} ${clip(line, width - 4)}`),
    ...more,
  ];
}
