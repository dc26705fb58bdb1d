import { escapeHidden, safeText } from '../plan/text/safe-text.js';

/** A stream that people or programs read, as all other modules see it: only this one writes to it (lint sees to it). */
export type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows' | 'on' | 'removeListener'>;

/** The streams of this process. */
export function standardOutputs(): { stdout: Output; stderr: Output } {
  return { stdout: process.stdout, stderr: process.stderr };
}

/**
 * Text for people. Of what a terminal acts on only colours of ours pass, and those only where it is `colored`: all else
 * is an escape.
 */
export function writeText(output: Output, text: string, colored: boolean): void {
  send(output, drawn(text, colored));
}

/** What another program may read: byte for byte, unless a person looks. */
export function writeResult(output: Output, text: string | Uint8Array, colored: boolean): void {
  if (output.isTTY)
    writeText(output, safeText(typeof text === 'string' ? text : Buffer.from(text).toString()), colored);
  else send(output, text);
}

/**
 * Lines that are drawn over those which stand `above` the cursor; what else is below goes. One write: nothing flickers.
 */
export function redraw(output: Output, above: number, lines: string[], colored: boolean): void {
  const back = above === 0 ? '' : `\u001b[${above}A\r`;
  send(output, `${back}${lines.map((line) => `${drawn(line, colored)}\u001b[0K\n`).join('')}\u001b[0J`);
}

/** Draws the line of the cursor again. */
export function redrawLine(output: Output, text: string): void {
  send(output, `\r\u001b[2K${drawn(text, false)}`);
}

export function showCursor(output: Output, isShown: boolean): void {
  send(output, isShown ? '\u001b[?25h' : '\u001b[?25l');
}

/** A stream that belongs to a protocol alone, whose messages go there byte for byte: no person reads them. */
export function protocolStream(output: Output): NodeJS.WritableStream {
  return streamOf(output);
}

/** Resolves when all that was written has reached whoever reads. */
export function flush(output: Output): Promise<void> {
  return new Promise((resolve) => streamOf(output).write('', () => resolve()));
}

function send(output: Output, text: string | Uint8Array): void {
  streamOf(output).write(text);
}

/** All outputs are streams; that they can be written to is for this module to know. */
function streamOf(output: Output): NodeJS.WritableStream {
  return output as unknown as NodeJS.WritableStream;
}

/** What palettes give. */
// eslint-disable-next-line no-control-regex -- these characters are what is looked for
const STYLES = /(\u001b\[(?:0|1|2|22|3[1-6]|39)m)/;
const ESCAPES = /\\u\{[0-9a-f]{1,6}\}/g;

/** Escapes are magenta, which nothing else is; after them the line has its colour again. */
function drawn(text: string, colored: boolean): string {
  if (!colored) return escapeHidden(text);
  let color = '\u001b[39m';
  return text
    .split(STYLES)
    .map((part, index) => {
      if (index % 2 === 0) return escapeHidden(part).replace(ESCAPES, (escape) => `\u001b[35m${escape}${color}`);
      if (part.includes('[3')) color = part;
      return part;
    })
    .join('');
}
