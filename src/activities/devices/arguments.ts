import type { Argv } from '../../plan/devices/device.js';
import { ownOf } from '../../plan/values/own.js';

/** What placeholders stand for. */
export type Values = Record<string, string | string[]>;

/** Values may name values; a chain that is longer names itself. */
const LEVELS = 5;

/** Puts values into a tool's arguments. A word that is one placeholder becomes as many words as its value has. */
export function expand(argv: Argv, values: Values, level = 0): string[] {
  if (level > LEVELS) throw new Error(`The arguments \`${argv.join(' ')}\` name themselves.`);
  return argv.flatMap((word) => {
    const whole = /^\{(\w+)\}$/.exec(word)?.[1];
    const value = ownOf(values, whole);
    if (Array.isArray(value)) return OF_FILES.has(whole ?? '') ? value : expand(value, values, level + 1);
    return [expandText(word, values, level)];
  });
}

function expandText(word: string, values: Values, level: number): string {
  return word.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = ownOf(values, name);
    if (value === undefined) return placeholder;
    return typeof value === 'string' && OF_FILES.has(name)
      ? value
      : expand([value].flat(), values, level + 1).join(' ');
  });
}

/** What comes from outside of the kind's file is inserted as it is, and never looked through again (I4). */
const OF_FILES = new Set([
  'source',
  'object',
  'image',
  'images',
  'port',
  'name_literal',
  'data_literal',
  'out',
  'sketch',
  'library',
]);

/** Bytes as a literal of Python, in ASCII. */
export function pythonBytes(bytes: Buffer): string {
  const text = [...bytes].map((byte) => {
    if (byte === 0x5c || byte === 0x27) return `\\${String.fromCharCode(byte)}`;
    if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
    return byte === 0x0a ? '\\n' : `\\x${byte.toString(16).padStart(2, '0')}`;
  });
  return `b'${text.join('')}'`;
}

/** A name as a literal of Python; names of image files hold nothing that needs an escape. */
export function pythonText(name: string): string {
  return `'${name}'`;
}
