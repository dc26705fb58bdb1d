import { isUtf8 } from 'node:buffer';

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

/** Keeps everything up to `limit` bytes, else the first and the last half of that. */
export function createOutputCapture(limit: number): OutputCapture {
  const half = Math.floor(limit / 2);
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let total = 0;

  /**
   * Joins the tail when it has become much longer than what will be shown of it, so that many small chunks stay cheap.
   */
  function trim(): void {
    if (tailBytes <= 2 * limit) return;
    const last = Buffer.concat(tail).subarray(-limit);
    tail = [Buffer.from(last)];
    tailBytes = last.length;
  }

  /** All that was written and null, or head and tail, each of whole characters. */
  function kept(): [Buffer, Buffer | null] {
    const first = Buffer.concat(head);
    const last = Buffer.concat(tail);
    if (total <= limit) return [Buffer.concat([first, last]), null];
    const end = last.subarray(last.length - (limit - half));
    return [first.subarray(0, endOfCharacters(first)), end.subarray(startOfCharacters(end))];
  }

  return {
    add(chunk) {
      total += chunk.length;
      const room = Math.max(0, half - headBytes);
      if (room > 0) head.push(chunk.subarray(0, room));
      headBytes += Math.min(room, chunk.length);
      if (chunk.length <= room) return;
      tail.push(chunk.subarray(room));
      tailBytes += chunk.length - room;
      trim();
    },
    text() {
      const [start, end] = kept();
      if (end === null) return start.toString('utf8');
      const left = total - start.length - end.length;
      return `${start.toString('utf8')}\n[… ${left} bytes left out …]\n${end.toString('utf8')}`;
    },
    isCut: () => total > limit,
    isUtf8: () => kept().every((part) => part === null || isUtf8(part)),
    bytes: () => total,
  };
}

/** Cuts a text that is there as a whole to its head and tail, as a capture does with output that comes in pieces. */
export function cutText(text: string, limit: number): string {
  const capture = createOutputCapture(limit);
  capture.add(Buffer.from(text));
  return capture.text();
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Where the last whole character of UTF-8 ends, so that a cut makes no replacement character. */
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
