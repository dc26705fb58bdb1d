import { createInterface } from 'node:readline';
import type { OpenGate } from '../observe/view.js';
import type { Palette } from '../render/colors.js';
import { safeText } from '../render/safe-text.js';
import type { Terminal } from '../terminal.js';
import { heightOf, tell, widthOf } from '../terminal.js';
import { renderGate } from './gate-text.js';
import { openInPager } from './pager.js';

/** What a person answered; `later` leaves the gate open, `gone` says that it was decided elsewhere meanwhile. */
export type Answer = { kind: 'approve' } | { kind: 'reject'; comment: string } | { kind: 'later' } | { kind: 'gone' };

const CTRL_C = '\u0003';

/** Shows a gate on a terminal and asks until somebody decides; `gone` aborts when nothing is left to decide. */
export async function askGate(open: OpenGate, content: string | null, terminal: Terminal, gone: AbortSignal): Promise<Answer> {
  const lines = renderGate(open, content, { width: widthOf(terminal.stderr), height: heightOf(terminal.stderr), palette: terminal.palette });
  tell(terminal, '', ...lines, choices(terminal.palette));
  for (;;) {
    const key = await readKey(terminal, gone);
    if (gone.aborted) return { kind: 'gone' };
    if (key === CTRL_C) return { kind: 'later' };
    if (key === 'a') return { kind: 'approve' };
    if (key === 'r') {
      const comment = await readReason(terminal, gone);
      if (gone.aborted) return { kind: 'gone' };
      if (comment !== null) return { kind: 'reject', comment };
      tell(terminal, choices(terminal.palette));
    }
    if ((key === 'e' || key === 'o') && content !== null) {
      await openInPager(safeText(content), terminal);
      tell(terminal, '', choices(terminal.palette));
    }
  }
}

function choices(palette: Palette): string {
  return `  approve ${palette.bold('[a]')}   reject with a reason ${palette.bold('[r]')}   open ${palette.bold('[e]')}   later ${palette.bold('[Ctrl-C]')}`;
}

/** One key, as the terminal sends it. Ends early, with an empty text, when the gate is gone. */
function readKey({ stdin }: Terminal, gone: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const end = (key: string): void => {
      stdin.removeListener('data', onData);
      gone.removeEventListener('abort', onGone);
      stdin.setRawMode(false);
      stdin.pause();
      resolve(key);
    };
    const onData = (data: Buffer): void => end(data.toString('utf8').slice(0, 1).toLowerCase());
    const onGone = (): void => end('');
    if (gone.aborted) return resolve('');
    stdin.setRawMode(true);
    stdin.on('data', onData);
    stdin.resume();
    gone.addEventListener('abort', onGone);
  });
}

/** The reason for a rejection; null when it is empty or was given up with Ctrl-C, which asks for a key again. */
function readReason({ stdin, stderr }: Terminal, gone: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: stdin, output: stderr });
    let reason: string | null = null;
    const close = (): void => lines.close();
    gone.addEventListener('abort', close);
    lines.on('SIGINT', close);
    lines.on('close', () => {
      gone.removeEventListener('abort', close);
      resolve(reason);
    });
    lines.question('  why? ', (text) => {
      reason = text.trim() === '' ? null : text.trim();
      lines.close();
    });
  });
}
