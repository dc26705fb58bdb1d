import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/**
 * A program and all that it uses in one file, as the build wraps it: a CommonJS module that is given how to import,
 * too.
 */
type Bundle = (
  require: NodeJS.Require,
  importModule: (specifier: string) => Promise<unknown>,
  __filename: string,
  __dirname: string,
) => void;

/**
 * Runs a program of the build from its one file `<name>.cjs`, with what V8 has compiled of it before, kept in
 * `<name>.cache`: to find, read and compile modules one by one takes a third of the time of `perdure list`, and half of
 * a host's start. V8 refuses what was compiled with other flags, and then compiles.
 */
export function runCompiled(file: string): void {
  const cache = file.replace(/\.cjs$/, '.cache');
  // Compiled code keeps its path, which stack traces tell: it is made anew where the package has been moved.
  const head = Buffer.from(`${process.version} ${process.arch} ${file}\n`);
  const cachedData = readCompiled(cache, head);
  const script = new Script(readFileSync(file, 'latin1'), { filename: file, ...(cachedData && { cachedData }) });
  if (cachedData === null) process.once('exit', () => keepCompiled(script, cache, head));
  const bundle = script.runInThisContext() as Bundle; // what the build has made
  bundle(createRequire(file), (specifier) => import(specifier), file, dirname(file));
}

function readCompiled(cache: string, head: Buffer): Buffer | null {
  const kept = existsSync(cache) ? readFileSync(cache) : null;
  return kept !== null && kept.subarray(0, head.length).equals(head) ? kept.subarray(head.length) : null;
}

/** For the next start. Whole or not at all; not where the package belongs to somebody else. */
function keepCompiled(script: Script, cache: string, head: Buffer): void {
  try {
    const draft = `${cache}.${process.pid}`;
    writeFileSync(draft, Buffer.concat([head, script.createCachedData()]));
    renameSync(draft, cache);
  } catch {
    // EACCES, ENOENT: it is compiled each time.
  }
}
