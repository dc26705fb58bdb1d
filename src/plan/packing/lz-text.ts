/**
 * A text that repeats itself, as a shorter one: what came before is referred to instead of said again (LZ77, Ziv and
 * Lempel 1977). Pure, because Plans are written and read inside the workflow sandbox, which has no zlib.
 *
 * Format: characters stand for themselves, but `~~` for `~`, and `~` with four digits for a repetition: three say how
 * far back it begins, one how much longer than the shortest it is. Digits are of base 64.
 */
const MARK = '~';
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const BASE = 64;
/** A reference has five characters: what is not longer stays. */
const SHORTEST = 6;
const LONGEST = SHORTEST + BASE - 1;
const FURTHEST = BASE ** 3 - 1;
/** Earlier places that are compared: more find little more. */
const CANDIDATES = 24;
const BUCKETS = 2 ** 14;
/** `String.fromCharCode` takes so many arguments at once everywhere. */
const SLICE = 4_096;

interface Repetition {
  back: number;
  length: number;
}

/** Shortens a text. A text without repetitions stays as it is but for `~`. */
export function shortenText(text: string): string {
  const places = createPlaces(text);
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const found = longestRepetition(text, at, places.before(at));
    parts.push(
      found === null ? literal(text.charAt(at)) : MARK + digits(found.back, 3) + digits(found.length - SHORTEST, 1),
    );
    for (const end = at + (found?.length ?? 1); at < end; at += 1) places.add(at);
  }
  return parts.join('');
}

/** The inverse of `shortenText`. Throws on a text that it has not made. */
export function lengthenText(short: string): string {
  const text = new Units(2 * short.length);
  for (let at = 0; at < short.length; at += 1) {
    if (short.charAt(at) !== MARK) text.add(short.charCodeAt(at));
    else if (short.charAt(at + 1) === MARK) text.add(short.charCodeAt((at += 1)));
    else {
      text.repeat({ back: number(short, at + 1, 3), length: number(short, at + 4, 1) + SHORTEST });
      at += 4;
    }
  }
  return text.toString();
}

/** UTF-16 units of a text that grows. */
class Units {
  #units: Uint16Array;
  #count = 0;

  constructor(room: number) {
    this.#units = new Uint16Array(room);
  }

  add(unit: number): void {
    this.#makeRoom(1);
    this.#units[this.#count++] = unit;
  }

  /** Says again what was said before. */
  repeat({ back, length }: Repetition): void {
    const start = this.#count - back;
    if (start < 0 || length > back)
      throw new Error(`Expected a repetition of what came before, got one of ${length} characters from ${back} back`);
    this.#makeRoom(length);
    this.#units.copyWithin(this.#count, start, start + length);
    this.#count += length;
  }

  #makeRoom(length: number): void {
    if (this.#count + length <= this.#units.length) return;
    const before = this.#units;
    this.#units = new Uint16Array(2 * before.length + length);
    this.#units.set(before);
  }

  toString(): string {
    const slices: string[] = [];
    for (let from = 0; from < this.#count; from += SLICE)
      slices.push(characters(this.#units.subarray(from, Math.min(from + SLICE, this.#count))));
    return slices.join('');
  }
}

/** `String.fromCharCode(...units)` takes seven times as long: it asks the array's iterator for each. */
function characters(units: Uint16Array): string {
  // an ArrayLike is enough
  return Reflect.apply<undefined, number[], string>(String.fromCharCode, undefined, units as unknown as number[]);
}

/** Where a text has begun with the same characters before: places with one hash are chained, the latest first. */
function createPlaces(text: string): { add: (at: number) => void; before: (at: number) => number[] } {
  const latest = new Int32Array(BUCKETS).fill(-1);
  const earlier = new Int32Array(text.length);

  function bucketOf(at: number): number {
    let hash = 0;
    // NaN beyond the end counts as 0.
    for (let next = at; next < at + SHORTEST; next += 1) hash = (hash * 31 + text.charCodeAt(next)) | 0;
    return hash & (BUCKETS - 1);
  }

  return {
    add(at) {
      const bucket = bucketOf(at);
      earlier[at] = latest[bucket] ?? -1;
      latest[bucket] = at;
    },
    before(at) {
      const found: number[] = [];
      for (
        let place = latest[bucketOf(at)] ?? -1;
        place >= 0 && found.length < CANDIDATES;
        place = earlier[place] ?? -1
      )
        found.push(place);
      return found;
    },
  };
}

function longestRepetition(text: string, at: number, places: number[]): Repetition | null {
  let best: Repetition | null = null;
  for (const from of places) {
    if (at - from > FURTHEST) break;
    const length = commonLength(text, from, at);
    if (length >= SHORTEST && length > (best?.length ?? 0)) best = { back: at - from, length };
  }
  return best;
}

/**
 * How much of the text at `at` is what also stands at `from`, and ends before `at`. Pairs of surrogates stay out, so
 * that none is cut.
 */
function commonLength(text: string, from: number, at: number): number {
  const most = Math.min(LONGEST, at - from, text.length - at);
  let length = 0;
  while (
    length < most &&
    text.charCodeAt(from + length) === text.charCodeAt(at + length) &&
    !isSurrogate(text, at + length)
  )
    length += 1;
  return length;
}

function isSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xf800) === 0xd800;
}

function literal(character: string): string {
  return character === MARK ? MARK + MARK : character;
}

function digits(value: number, count: number): string {
  return count === 0 ? '' : digits(Math.floor(value / BASE), count - 1) + DIGITS.charAt(value % BASE);
}

function number(text: string, at: number, count: number): number {
  let value = 0;
  for (let place = at; place < at + count; place += 1) {
    const digit = text.charAt(place);
    const index = digit === '' ? -1 : DIGITS.indexOf(digit);
    if (index < 0) throw new Error(`Expected a digit of base ${BASE}, got \`${digit}\``);
    value = value * BASE + index;
  }
  return value;
}
