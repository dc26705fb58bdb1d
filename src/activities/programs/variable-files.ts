import { closeSync, existsSync, fstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { openRegularNow, readTextNow } from '../../store/read-regular.js';
import { errorCode } from '../../store/store-failure.js';
import { stepFailure } from '../failures.js';

const MOST_BYTES = 64 * 1024;
/** A name as such files have it: before `=`, or before `:` and a space. More than these are none too many. */
const NAME = /[\w.-]+(?=\s*=|:\s)/g;

/**
 * The variables, each empty, that files of these names would set, from a folder upwards as far as the person's own: an
 * agent may have written them, and a program that reads them would start others by them (`LD_PRELOAD`), or send its key
 * elsewhere. It leaves alone what is in its environment already. Throws `program-failed` for a file that nobody knows
 * the variables of.
 */
export function unheardVariables(cwd: string, names: string[]): Record<string, string> {
  const unheard: Record<string, string> = {};
  const home = homedir();
  for (let at = resolve(cwd); at !== home; at = dirname(at)) {
    for (const file of names.map((name) => join(at, name)).filter((path) => existsSync(path)))
      for (const [name] of textOf(file).matchAll(NAME)) unheard[name] = '';
    if (at === dirname(at)) break;
  }
  return unheard;
}

function textOf(file: string): string {
  try {
    const handle = openRegularNow(file);
    try {
      if (fstatSync(handle).size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES / 1024} KiB`);
    } finally {
      closeSync(handle);
    }
    return readTextNow(file);
  } catch (error) {
    // A folder, such as a virtual environment of Python has by that name, sets nothing.
    if (errorCode(error) === 'EISDIR') return '';
    throw stepFailure(
      'program-failed',
      `\`${file}\` sets variables for the program, and cannot be read: ` +
        `${error instanceof Error ? error.message : 'unknown error'}. Remove it.`,
    );
  }
}
