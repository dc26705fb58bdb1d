// The tiers of the tests, and which of their files a run has: files that take long are drawn by the commit.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of each tier, fast ones first: in this order they run. */
export const TIERS = {
  // Functions, files and loopback sockets.
  pure: ['plan', 'compiler', 'store', 'activities', 'cli', 'web', 'docs'],
  // Stored histories against today's workflow code (I14).
  replay: ['replay'],
  // A real Temporal server.
  server: ['model', 'workflows', 'workers', 'definitions', 'commands', 'mcp'],
  // Input that means harm.
  hostile: ['hostile'],
  // Processes killed, disks full, servers gone.
  faults: ['faults'],
  // Programs of this machine: compilers, terminals, browsers.
  tools: ['tools', 'devices'],
};

/** This runs whole: every commit replays every stored history, for what waits for a person may be as old (I14). */
const WHOLE = ['replay'];
/** A commit draws one of so many shards of the long files. */
export const SHARDS = 8;
/** From so many seconds on a file is long. */
export const LONG = 10;

/** `// @seconds 50` at the head of a test file: about what it takes on a quiet machine. */
const SECONDS = /^\/\/ @seconds (\d+)$/m;
const HEAD = 200;

/** About how long a test file takes, in seconds; 0 where it does not say. */
export function secondsOf(file) {
  return Number(SECONDS.exec(readFileSync(file, 'utf8').slice(0, HEAD))?.[1] ?? 0);
}

/** The test files of a tier, from the checkout's folder on. */
export function filesOf(tier, root) {
  return TIERS[tier].flatMap((folder) =>
    readdirSync(join(root, 'test', folder), { recursive: true })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `test/${folder}/${name}`)
      .sort(),
  );
}

/**
 * The shard that a seed draws of the files of a tier: all short ones, and one of `SHARDS` parts of the long ones, which
 * take about the same time. `files` are `{ file, seconds }`; every file is in the shard of some seed.
 */
export function shardOf(tier, files, seed) {
  const isLong = ({ seconds }) => !WHOLE.includes(tier) && seconds >= LONG;
  const long = files.filter(isLong).sort((a, b) => b.seconds - a.seconds || (a.file < b.file ? -1 : 1));
  const parts = Array.from({ length: SHARDS }, () => ({ seconds: 0, files: [] }));
  for (const one of long) {
    const least = parts.reduce((found, part) => (part.seconds < found.seconds ? part : found));
    least.seconds += one.seconds;
    least.files.push(one.file);
  }
  const number = drawnBy(seed, tier);
  const drawn = parts[number].files;
  const short = files.filter((one) => !isLong(one)).map(({ file }) => file);
  return { number, files: [...short, ...drawn], drawn: drawn.length, long: long.length };
}

/** A number from 0 up to `SHARDS`. */
function drawnBy(seed, tier) {
  return createHash('sha256').update(`${seed} ${tier}`).digest().readUInt32BE() % SHARDS;
}
