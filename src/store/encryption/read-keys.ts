import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { isBelow, realOf } from '../folders/places.js';
import { findOnPath } from '../processes/find-on-path.js';
import { runProgram } from '../processes/run-program.js';
import { outsideEnvironment, outsidePath } from '../processes/search-path.js';
import { errorCode } from '../store-failure.js';
import { KeyError } from './key-error.js';
import { KEY_BYTES } from './key-ring.js';
import { ownOf } from '../../plan/values/own.js';

/** Where a key is: a variable of the environment as `${env.NAME}`, a file, or what a program prints. */
export type KeyPlace = string | { file: string } | { command: string[] };

/** What places of keys are read by. */
export interface KeyReader {
  env: Record<string, string | undefined>;
  /** Root of the project: files and programs are named from there. */
  root: string;
}

const MOST_BYTES = 4096;
const COMMAND_MS = 60_000;
const MAKE = 'A new key is made by: openssl rand -base64 32';

/** Reads keys of 32 bytes, in order. Throws a KeyError that names the first place that has none. */
export async function readKeys(places: readonly KeyPlace[], reader: KeyReader): Promise<Buffer[]> {
  const keys: Buffer[] = [];
  for (const place of places) keys.push(keyIn(await textAt(place, reader), wordsFor(place)));
  return keys;
}

/** The variable that a place names; null for another place. */
export function keyVariable(place: KeyPlace): string | null {
  return typeof place === 'string' ? (/^\$\{env\.([A-Za-z_]\w*)\}$/.exec(place)?.[1] ?? null) : null;
}

function textAt(place: KeyPlace, reader: KeyReader): Promise<string> | string {
  if (typeof place === 'string') return fromEnvironment(place, reader);
  return 'file' in place ? fromFile(place.file, reader) : fromCommand(place.command, reader);
}

function wordsFor(place: KeyPlace): string {
  if (typeof place === 'string') return `the variable \`${keyVariable(place) ?? ''}\``;
  return 'file' in place ? `the file \`${place.file}\`` : `the program \`${place.command[0] ?? ''}\``;
}

function fromEnvironment(place: string, { env }: KeyReader): string {
  const variable = keyVariable(place) ?? '';
  const value = ownOf(env, variable) ?? '';
  if (value === '') throw new KeyError(`The variable \`${variable}\`, a key of \`encryption\`, is not set.`, MAKE);
  return value;
}

/** A key in a file counts only where nobody else may read it, and no agent that works in the project. */
async function fromFile(file: string, { env, root }: KeyReader): Promise<string> {
  const path = pathOf(file, { env, root });
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw new KeyError(
      `The file \`${file}\`, a key of \`encryption\`, cannot be read (${errorCode(error) ?? ''}).`,
      MAKE,
    );
  });
  try {
    const stat = await handle.stat();
    const us = process.getuid?.() ?? stat.uid;
    if (!stat.isFile() || stat.size > MOST_BYTES)
      throw new KeyError(`Expected \`${file}\` to be a file with a key of \`encryption\`, got something else.`, MAKE);
    if ((stat.mode & 0o077) !== 0)
      throw new KeyError(`The key file \`${file}\` may be read by others.`, `Keep them out: chmod 600 ${file}`);
    if (stat.uid !== us && stat.uid !== 0)
      throw new KeyError(`The key file \`${file}\` belongs to another user.`, `Make it yours: chown $(id -u) ${file}`);
    if (isBelow(await realpath(path), await realpath(root)))
      throw new KeyError(
        `The key file \`${file}\` is in the project, where agents read.`,
        'Move it out of the project.',
      );
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** A path as it is written in `perdure.yml`. */
function pathOf(path: string, { env, root }: KeyReader): string {
  return resolve(root, path.replace(/^~(?=\/)/, env['HOME'] ?? homedir()));
}

/**
 * What the program prints is the key. What it says beside it is not repeated: it may have the key in it. It runs where
 * no project is: many programs obey files of the folder they run in, or load them.
 */
async function fromCommand(command: string[], reader: KeyReader): Promise<string> {
  const [program = '', ...args] = command;
  const { exitCode, stdout } = await runProgram(keyProgram(program, reader), args, {
    env: outsideEnvironment(reader.env, reader.root),
    cwd: '/',
    stdin: 'ignore',
    timeout: COMMAND_MS,
    maxBuffer: MOST_BYTES,
  });
  if (exitCode !== 0)
    throw new KeyError(
      `The program \`${program}\`, which gives a key of \`encryption\`, ended with ` +
        (exitCode === undefined ? 'no exit code.' : `exit code ${exitCode}.`),
      `Try it in the folder \`/\`, where it is started: ${command.join(' ')}`,
    );
  return stdout;
}

/** Never a file of the project: an agent may have written it, and would have the person's variables. */
function keyProgram(program: string, reader: KeyReader): string {
  const { env, root } = reader;
  const file = program.includes('/') ? pathOf(program, reader) : findOnPath(program, outsidePath(env['PATH'], root));
  if (file === null)
    throw new KeyError(
      `Cannot find the program \`${program}\`, which gives a key of \`encryption\`, on the PATH outside of packages ` +
        'and of the project, where agents write.',
      'Install it, or name it by its path.',
    );
  if (isBelow(realOf(file), realOf(root)))
    throw new KeyError(
      `The program \`${program}\`, which gives a key of \`encryption\`, is in the project, where agents write.`,
      'Move it out of the project.',
    );
  return file;
}

/** The key in a text: 32 bytes in base64, for URLs too, or in hexadecimal. */
function keyIn(text: string, place: string): Buffer {
  const written = text.trim();
  const isHex = /^[0-9a-f]{64}$/i.test(written);
  const key = /^[\w+/-]{43}=?$/.test(written) || isHex ? Buffer.from(written, isHex ? 'hex' : 'base64') : null;
  if (key?.length === KEY_BYTES && new Set(key).size > 1) return key;
  throw new KeyError(
    `Expected ${place} to have a key of 32 bytes in base64 or hexadecimal, got ${written.length} characters ` +
      'that are none.',
    MAKE,
  );
}
