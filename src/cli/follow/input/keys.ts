import { StringDecoder } from 'node:string_decoder';
import type { Output } from '../../output.js';
import { redrawLine, writeText } from '../../output.js';
import type { Terminal } from '../../terminal.js';
import { createKeyParser } from './key-parser.js';

export const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const BACKSPACE = new Set(['\u007f', '\b']);

/** Keys as they are typed while a question is open: none is lost, however fast they come. */
export interface Keys {
  /** The next key; empty when the question is gone. */
  key(): Promise<string>;
  /** Reads what was typed before now: whoever typed it had not seen what is shown next. */
  settle(): Promise<void>;
  /** Whether the last key was typed before that. */
  wasAhead(): boolean;
  /** One line, echoed and editable; null when it was given up with Ctrl-C or the question is gone. */
  line(prompt: string): Promise<string | null>;
  /** Leaves the terminal to another program until the promise settles. */
  lend<T>(use: () => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * Takes the keys of a terminal, those that were typed ahead too. What is left over when it is closed, the next one
 * gets.
 */
export function openKeys(terminal: Terminal, gone: AbortSignal): Keys {
  const { stdin, stderr } = terminal;
  const decoder = new StringDecoder('utf8');
  const keysIn = createKeyParser();
  const typed: string[] = [];
  let ahead = 0;
  let wake: () => void = () => undefined;
  const onData = (data: Buffer): void => {
    typed.push(...keysIn(decoder.write(data)));
    wake();
  };
  const onGone = (): void => wake();
  const listen = (): void => {
    stdin.setRawMode(true);
    stdin.on('data', onData);
    stdin.resume();
  };
  const leave = (): void => {
    stdin.removeListener('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
  };
  const key = async (): Promise<string> => {
    while (typed.length === 0 && !gone.aborted)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    if (gone.aborted) return '';
    ahead -= 1;
    return typed.shift() ?? '';
  };
  gone.addEventListener('abort', onGone);
  listen();
  return {
    key,
    async settle() {
      // What waits in the terminal comes with the next turns of the event loop.
      if (stdin.isTTY) for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      ahead = stdin.isTTY ? typed.length : 0;
    },
    wasAhead: () => ahead >= 0,
    line: (prompt) => readLine(prompt, key, stderr),
    async lend(use) {
      leave();
      try {
        return await use();
      } finally {
        listen();
      }
    },
    close() {
      gone.removeEventListener('abort', onGone);
      leave();
      if (typed.length > 0) stdin.unshift(Buffer.from(typed.join('')));
    },
  };
}

/**
 * A line as people edit it at its end: it is as long as it is, and is drawn again only where something is taken back.
 */
async function readLine(prompt: string, key: () => Promise<string>, stderr: Output): Promise<string | null> {
  const write = (written: string): void => writeText(stderr, written, false);
  let text: string[] = [];
  write(prompt);
  for (;;) {
    const typed = await key();
    if (typed === '' || typed === CTRL_C || (typed === CTRL_D && text.length === 0)) {
      write('\n');
      return null;
    }
    if (typed === '\r' || typed === '\n') {
      write('\n');
      return text.join('');
    }
    if (BACKSPACE.has(typed) || typed === CTRL_U) {
      text = typed === CTRL_U ? [] : text.slice(0, -1);
      redrawLine(stderr, `${prompt}${text.join('')}`);
    } else if (typed >= ' ') {
      text.push(typed);
      write(typed);
    }
  }
}
