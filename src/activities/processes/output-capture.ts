import { isUtf8 } from 'node:buffer';
import type { Mask } from '../values/mask-secrets.js';
import { maskCut } from '../values/mask-secrets.js';

/** UTF-8 has at most so many bytes for each character of a string. */
const BYTES_OF_CHARACTER = 3;
const NO_MASK: Mask = Object.assign((text: string) => text, { longest: 0 });

/** Collects what a program writes, with a bound on memory: beyond it head and tail are kept. */
export interface OutputCapture {
  add(chunk: Buffer): void;
  /** What was written as text; where it was too long, a line in the middle tells how much is left out. */
  text(): string;
  isCut(): boolean;
  /** Tells whether all that is kept is UTF-8: other bytes stand as U+FFFD in the text. */
  isUtf8(): boolean;
  bytes(): number;
}

/**
 * Keeps everything up to `limit` bytes, else the first and the last half of that. Where it is cut, secrets that `mask`
 * knows are taken out before; what is whole is as it was written.
 */
export function createOutputCapture(limit: number, mask: Mask = NO_MASK): OutputCapture {
  const half = Math.floor(limit / 2);
  /** As much more is kept as may be part of a secret at a cut. */
  const margin = mask.longest * BYTES_OF_CHARACTER;
  const kept = limit + margin;
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let total = 0;

  /**
   * Joins the tail when it has become much longer than what will be shown of it, so that many small chunks stay cheap.
   */
  function trim(): void {
    if (tailBytes <= 2 * kept) return;
    const last = Buffer.concat(tail).subarray(-kept);
    tail = [Buffer.from(last)];
    tailBytes = last.length;
  }

  const masked = (bytes: Buffer, cut: 'start' | 'end'): Buffer =>
    mask.longest === 0 ? bytes : Buffer.from(maskCut(bytes.toString('utf8'), mask, cut));

  /** All that was written and null, or head and tail, each of whole characters, without what is masked. */
  function shown(): [Buffer, Buffer | null] {
    const all = Buffer.concat([...head, ...tail]);
    if (total <= limit) return [all, null];
    const first = masked(untilWhole(all.subarray(0, half + margin)), 'end');
    const last = masked(fromWhole(all.subarray(-(limit - half + margin))), 'start');
    return [untilWhole(first.subarray(0, half)), fromWhole(last.subarray(Math.max(0, last.length - (limit - half))))];
  }

  return {
    add(chunk) {
      total += chunk.length;
      const room = Math.max(0, half + margin - headBytes);
      if (room > 0) head.push(chunk.subarray(0, room));
      headBytes += Math.min(room, chunk.length);
      if (chunk.length <= room) return;
      tail.push(chunk.subarray(room));
      tailBytes += chunk.length - room;
      trim();
    },
    text() {
      const [start, end] = shown();
      if (end === null) return start.toString('utf8');
      const left = total - start.length - end.length;
      return `${start.toString('utf8')}\n[… ${left} bytes left out …]\n${end.toString('utf8')}`;
    },
    isCut: () => total > limit,
    isUtf8: () => shown().every((part) => part === null || isUtf8(part)),
    bytes: () => total,
  };
}

/** Cuts a text that is there as a whole to its head and tail, as a capture does with output that comes in pieces. */
export function cutText(text: string, limit: number, mask: Mask = NO_MASK): string {
  const capture = createOutputCapture(limit, mask);
  capture.add(Buffer.from(text));
  return capture.text();
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Bytes up to the end of the last whole character of UTF-8, so that a cut makes no replacement character. */
function untilWhole(bytes: Buffer): Buffer {
  return bytes.subarray(0, endOfCharacters(bytes));
}

function fromWhole(bytes: Buffer): Buffer {
  return bytes.subarray(startOfCharacters(bytes));
}

function endOfCharacters(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > 0 && bytes.length - start < 4 && isContinuation(bytes[start])) start -= 1;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - start < length ? start : bytes.length;
}

function startOfCharacters(bytes: Buffer): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return start;
}
