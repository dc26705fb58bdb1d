import type { Running } from '../chip/chip.js';
import type { EspName } from './esp-chips.js';
import { createBoardFiles } from './board-files.js';
import type { FlashedBoard } from './flashed-board.js';
import { runSnippet } from './python-snippet.js';
import { pythonTexts } from './python-texts.js';
import { sayTexts } from './say-texts.js';

const CTRL_A = 0x01;
const CTRL_B = 0x02;
const CTRL_C = 0x03;
const CTRL_D = 0x04;
const CTRL_E = 0x05;
const ENTER = 0x0d;
const RAW_PROMPT = 'raw REPL; CTRL-B to exit\r\n>';

/**
 * The REPL of MicroPython as far as tools use it to put files onto a board (its documentation, "Raw mode"): it reads
 * and writes files, and runs nothing else. Of `main.py` it says the texts.
 */
export function runMicroPython(name: EspName, { flash, write, send }: FlashedBoard): Running {
  const files = createBoardFiles(flash, write);
  let program: Running | null = null;
  let isRaw = false;
  /** `\x05A\x01` asks for another way of sending code, which this board has not. */
  let question = 0;
  let typed: number[] = [];

  const say = (text: string): void => send(Buffer.from(text));
  const stop = (): void => {
    program?.stop();
    program = null;
  };
  const boot = (): void => {
    stop();
    const main = files.read('main.py');
    if (main !== null) program = sayTexts(pythonTexts(main.toString('utf8')), send);
    else say(`simulated: MicroPython on ${name}\r\n>>> `);
  };
  const run = (): void => {
    const code = Buffer.from(typed).toString('utf8');
    typed = [];
    if (code.trim() === '') {
      say(`OK\r\nMPY: soft reboot\r\n${RAW_PROMPT}`);
      return;
    }
    const { out, error, reset } = runSnippet(code, files);
    say(`OK${out}\x04${error}\x04>`);
    if (!reset) return;
    isRaw = false;
    boot();
  };

  const take = (byte: number): void => {
    if (question > 0) {
      question -= 1;
      if (question === 0) send(Buffer.from('R\0'));
      return;
    }
    switch (byte) {
      case CTRL_A:
        stop();
        isRaw = true;
        typed = [];
        return say(`\r\n${RAW_PROMPT}`);
      case CTRL_B:
        isRaw = false;
        return say('\r\nsimulated: MicroPython\r\n>>> ');
      case CTRL_C:
        stop();
        typed = [];
        return say(isRaw ? '' : '\r\n>>> ');
      case CTRL_D:
        if (isRaw) return run();
        say('MPY: soft reboot\r\n');
        return boot();
      case CTRL_E:
        if (isRaw && typed.length === 0) question = 2;
        return;
      default:
        if (isRaw) typed.push(byte);
        else if (byte === ENTER) say('\r\n>>> ');
    }
  };

  boot();
  return { receive: (bytes) => bytes.forEach(take), stop };
}
