import { bareSandbox } from '../processes/bare-sandbox.js';
import { runProgram } from '../processes/run-program.js';
import { sandboxProgram } from './enclosure.js';

/** A system may add files of its own to an archive: it does not. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', COPYFILE_DISABLE: '1' };
const TIMEOUT_MS = 10 * 60_000;

/** What a program reads, and where it writes. */
export type Streams = { input: string; stdout: { file: string } } | { inputFile: string } | Record<string, never>;

/** How a program ended, and what it said then. */
export interface Ended {
  failed: boolean;
  said: string;
}

/**
 * Runs a program of the system's in a folder, in a sandbox that shows folders and nothing else: no link in one of them
 * leads out. `shown` are arguments of `bwrap`. Null where this machine has no sandbox: no command of an agent runs
 * there.
 */
export async function runEnclosed(
  words: string[],
  { shown, cwd, streams = {} }: { shown: string[]; cwd: string; streams?: Streams },
): Promise<Ended | null> {
  const bwrap = sandboxProgram();
  if (bwrap === null) return null;
  const sandbox = [...bareSandbox({ network: false }), ...rights(), ...shown, '--chdir', cwd, '--'];
  const ended = await runBare([bwrap, ...sandbox, ...words], cwd, streams);
  return ended.failed && ended.said.startsWith('bwrap: ') ? null : ended;
}

/** Runs a program in a folder, in no sandbox. */
export async function runBare([file = '', ...args]: string[], cwd: string, streams: Streams): Promise<Ended> {
  const options = { ...streams, env: ENVIRONMENT, cwd, timeout: TIMEOUT_MS };
  const { failed, stderr, shortMessage } = await runProgram(file, args, options);
  return { failed, said: String(stderr).trim() || (shortMessage ?? '') };
}

/** What a copy needs where we are root: files belong to whom they belonged. */
function rights(): string[] {
  if (process.getuid?.() !== 0) return [];
  return ['CAP_DAC_OVERRIDE', 'CAP_CHOWN', 'CAP_FOWNER'].flatMap((right) => ['--cap-add', right]);
}
