import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';

const MASK = '…';
/** Shorter pieces of a secret in base 64 would be found everywhere. */
const PIECE_CHARACTERS = 8;

/** Takes secrets out of a text (I13), before it is cut: a part of a secret is none of its forms. */
export interface Mask {
  (text: string): string;
  /** Characters of the longest form that it takes out. */
  longest: number;
}

/**
 * Takes these secrets out of a text: as they are written, and in the forms in which programs often show them. The
 * longest form goes first: of two secrets one may begin with the other.
 */
export function maskOf(secrets: Iterable<string>): Mask {
  const forms = [...new Set([...secrets].filter((secret) => secret !== '').flatMap(formsOf))];
  forms.sort((one, other) => other.length - one.length);
  const mask = (text: string): string => forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
  return Object.assign(mask, { longest: forms[0]?.length ?? 0 });
}

/**
 * Masks a text that was cut from a longer one at its start or its end: what may be part of a secret there is left out
 * too.
 */
export function maskCut(text: string, mask: Mask, cut: 'start' | 'end'): string {
  const masked = mask(text);
  const doubtful = Math.max(0, mask.longest - 1);
  return cut === 'start' ? masked.slice(doubtful) : masked.slice(0, Math.max(0, masked.length - doubtful));
}

/** Masks a text that comes in pieces: `add` gives what is sure of it by then, `end` the rest. */
export function maskPieces(mask: Mask): { add: (piece: string) => string; end: () => string } {
  let waiting = '';
  const take = (doubtful: number): string => {
    let cut = Math.max(0, waiting.length - doubtful);
    // A secret that is there as a whole stands on one side of the cut.
    while (mask(waiting.slice(0, cut)) + mask(waiting.slice(cut)) !== mask(waiting)) cut -= 1;
    const sure = waiting.slice(0, cut);
    waiting = waiting.slice(cut);
    return mask(sure);
  };
  return {
    add(piece) {
      waiting += piece;
      return take(Math.max(0, mask.longest - 1));
    },
    end: () => take(0),
  };
}

/** A value with every text in it masked. */
export function maskValue(value: Json, mask: Mask): Json {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), maskValue(item, mask)]))
    : value;
}

function formsOf(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams([['', secret]]).toString().slice(1),
    ...(['base64', 'base64url'] as const).flatMap((encoding) => [
      Buffer.from(secret).toString(encoding),
      ...[0, 1, 2]
        .map((before) => pieceOf(secret, before, encoding))
        .filter((piece) => piece.length >= PIECE_CHARACTERS),
    ]),
  ];
}

/** What is the same in base 64 whatever stands around a secret (`user:secret`, say): `before` bytes, modulo 3. */
function pieceOf(secret: string, before: number, encoding: 'base64' | 'base64url'): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  return bytes.toString(encoding).slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}
