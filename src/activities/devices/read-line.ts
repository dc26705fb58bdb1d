import { StringDecoder } from 'node:string_decoder';
import type { Device } from '../../plan/devices/device.js';
import type { LogWriter } from '../../store/logs/line.js';
import { stepFailure } from '../failures.js';
import type { HeldPort } from './port/open-port.js';
import type { SerialLine } from './serial-line.js';
import { openLine } from './serial-line.js';

/** A board may talk for ever; of what it said this much is kept, and less in an output (`KEPT_BYTES`). */
const KEPT_CHARACTERS = 1024 * 1024;
const TOLD_CHARACTERS = 300;
const AGAIN_MS = 100;
/** How long the rest of a line may take once what was expected has come; a prompt has none. */
const LINE_MS = 200;

/** What is listened for. */
export interface Listening {
  /** The text to wait for; null to listen for the whole time. */
  expect: string | null;
  /** What is sent, once `after` was read, or at once. */
  write: string | null;
  after: string | null;
  timeoutMs: number;
}

export interface Heard {
  /** All that was read, up to the end of the line with what was expected. */
  text: string;
  /** That line; the last one where nothing was expected. */
  line: string;
}

/**
 * Listens on a board's serial line until it said what is expected. A port that vanishes is opened again when it is
 * back, within the same time. Throws `not-expected`, with what was said in its place.
 */
export async function listen(
  device: Device,
  port: HeldPort,
  wanted: Listening,
  { signal, log }: { signal: AbortSignal; log: LogWriter },
): Promise<Heard> {
  const { expect, timeoutMs } = wanted;
  const ear = createEar(wanted, log);
  const until = performance.now() + timeoutMs;
  const left = (): number => until - performance.now();
  while (!ear.isHeard() && left() > 0) {
    signal.throwIfAborted();
    const now = await port.now();
    const line = now === null ? null : await openLine(now, device.kind.baud, ear.hear).catch(() => null);
    if (line === null) {
      await ear.wait(() => false, Math.min(AGAIN_MS, left()), signal);
      continue;
    }
    try {
      if (device.kind.start !== '') line.write(device.kind.start);
      ear.answer(line);
      const gone = line.gone.then((why) => log.write('note', `the port is gone: ${why}`));
      await Promise.race([ear.wait(ear.isHeard, left(), signal), gone]);
      if (ear.isHeard()) await Promise.race([ear.wait(ear.isWhole, Math.min(LINE_MS, left()), signal), gone]);
    } finally {
      ear.answer(null);
      line.close();
    }
  }
  signal.throwIfAborted();
  if (expect !== null && !ear.isHeard()) throw notExpected(device, wanted, ear.text());
  return heard(ear.text(), expect);
}

/** What was read so far, and who waits for more of it. */
interface Ear {
  hear: (chunk: Buffer) => void;
  /** The line on which is sent what is to be sent; null when there is none. */
  answer: (line: SerialLine | null) => void;
  text: () => string;
  isHeard: () => boolean;
  /** Whether the line that holds what was expected has come to its end. */
  isWhole: () => boolean;
  /** Resolves when `isEnough`, when the time is over, or on abort. */
  wait: (isEnough: () => boolean, ms: number, signal: AbortSignal) => Promise<void>;
}

function createEar({ expect, write, after }: Listening, log: LogWriter): Ear {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let toSend = write;
  let line: SerialLine | null = null;
  let wake = (): void => undefined;

  const sendWhenDue = (): void => {
    if (toSend === null || line === null || (after !== null && !text.includes(after))) return;
    line.write(toSend);
    log.write('note', `sent ${JSON.stringify(toSend)}`);
    toSend = null;
  };

  return {
    text: () => text,
    isHeard: () => expect !== null && toSend === null && text.includes(expect),
    isWhole: () => expect !== null && text.indexOf('\n', text.indexOf(expect) + expect.length) >= 0,
    answer: (next) => {
      line = next;
      sendWhenDue();
    },
    hear: (chunk) => {
      const more = decoder.write(chunk);
      log.write('stdout', more);
      text = (text + more).slice(-KEPT_CHARACTERS);
      sendWhenDue();
      wake();
    },
    wait: (isEnough, ms, signal) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          wake = () => undefined;
          resolve();
        };
        const timer = setTimeout(end, Math.max(0, ms));
        signal.addEventListener('abort', end, { once: true });
        wake = () => {
          if (isEnough()) end();
        };
        wake();
      }),
  };
}

function heard(text: string, expect: string | null): Heard {
  const plain = text.replaceAll('\r\n', '\n');
  if (expect === null) return { text: plain, line: plain.trimEnd().split('\n').at(-1) ?? '' };
  const at = plain.indexOf(expect.replaceAll('\r\n', '\n'));
  const end = plain.indexOf('\n', at + expect.length);
  const upTo = plain.slice(0, end < 0 ? plain.length : end);
  return { text: upTo, line: upTo.slice(upTo.lastIndexOf('\n', Math.max(0, at - 1)) + 1) };
}

function notExpected(device: Device, { expect, timeoutMs, after }: Listening, text: string): Error {
  const said = text.trim();
  const got = said === '' ? 'nothing' : `\`${said.slice(-TOLD_CHARACTERS)}\``;
  const missed = after !== null && !text.includes(after) ? after : expect;
  return stepFailure(
    'not-expected',
    `Expected \`${missed ?? ''}\` on the serial line of \`${device.name}\` within ${timeoutMs / 1000} s, got ${got}.`,
  );
}
