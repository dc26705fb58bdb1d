import type { Running } from '../chip/chip.js';

/** Texts that a simulated board says; `#` in a counted one is its number, from 0. */
export interface Texts {
  once: string[];
  counted: string[];
}

/** How often what is counted is said. */
const ROUND_MS = 100;

/** Says texts, each on a line that tells that it is simulated, and then counts until it is stopped. */
export function sayTexts({ once, counted }: Texts, send: (bytes: Uint8Array) => void): Running {
  const say = (texts: string[]): void => {
    if (texts.length > 0) send(Buffer.from(texts.map((text) => `simulated: ${text}\r\n`).join('')));
  };
  let round = 0;
  const count = (): void => {
    say(counted.map((text) => text.replace('#', String(round))));
    round += 1;
  };
  say(once);
  count();
  const timer = counted.length === 0 ? undefined : setInterval(count, ROUND_MS);
  return { receive: () => undefined, stop: () => clearInterval(timer) };
}
