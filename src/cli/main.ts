#!/usr/bin/env node
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

/** `command-line.ts` and all that it uses, as the build wraps it: a CommonJS module that is given how to import, too. */
type Bundle = (require: NodeJS.Require, importModule: (specifier: string) => Promise<unknown>, __filename: string, __dirname: string) => void;

requireNode();

// Starts the command line from one file, with what V8 has compiled of it before: to find, read and compile its modules one by one takes
// a third of the time of `perdure list`. V8 refuses what was compiled with other flags, and then compiles.
const folder = dirname(fileURLToPath(import.meta.url));
const file = join(folder, 'command-line.cjs');
const cache = join(folder, 'command-line.cache');
// Compiled code keeps its path, which stack traces tell: it is made anew where the package has been moved.
const head = Buffer.from(`${process.version} ${process.arch} ${file}\n`);
const cachedData = readCompiled();
const script = new Script(readFileSync(file, 'latin1'), { filename: file, ...(cachedData && { cachedData }) });
if (cachedData === null) process.once('exit', keepCompiled);
const bundle = script.runInThisContext() as Bundle; // what the build has made
bundle(createRequire(file), (specifier) => import(specifier), file, folder);

/** Ends where Node is older than `engines` of `package.json` says. This file is read by those too: it has only what they can parse. */
function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  // eslint-disable-next-line no-restricted-properties, no-restricted-syntax -- modules are not loaded yet, and all that is written is Node's version
  process.stderr.write(`Error: Perdure needs Node 20.19 or later; this is ${process.version}.\n  Install a newer one: https://nodejs.org, or by nvm, fnm or your system's packages.\n`);
  process.exit(3);
}

function readCompiled(): Buffer | null {
  const kept = existsSync(cache) ? readFileSync(cache) : null;
  return kept !== null && kept.subarray(0, head.length).equals(head) ? kept.subarray(head.length) : null;
}

/** For the next start. Whole or not at all; not where the package belongs to somebody else. */
function keepCompiled(): void {
  try {
    const draft = `${cache}.${process.pid}`;
    writeFileSync(draft, Buffer.concat([head, script.createCachedData()]));
    renameSync(draft, cache);
  } catch {
    // EACCES, ENOENT: it is compiled each time.
  }
}
