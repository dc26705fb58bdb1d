import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../../store/store-failure.js';
import { stepFailure } from '../../failures.js';
import type { ProgramToStart, StartedProcess } from '../started-process.js';
import { startProcess } from './start-process.js';

/** So long a file is waited for that somebody is writing, as who installs another version of it does. */
const WRITTEN_MS = 5_000;
const LOOK_MS = 50;

/**
 * Starts a program that was found a moment ago. Throws `command-not-found` where it is gone since, or what is to start
 * it is not there; else the error of `spawn`.
 */
export async function beginProcess(program: ProgramToStart, signal: AbortSignal): Promise<StartedProcess> {
  for (const since = performance.now(); ;) {
    try {
      return await startProcess(program);
    } catch (error) {
      const isWritten = errorCode(error) === 'ETXTBSY';
      if (!isWritten || performance.now() - since > WRITTEN_MS) throw unstarted(program, error);
      await delay(LOOK_MS);
      signal.throwIfAborted();
    }
  }
}

function unstarted({ file, cwd }: ProgramToStart, error: unknown): unknown {
  const code = errorCode(error);
  if (code === 'ETXTBSY')
    return stepFailure('command-not-found', `Somebody is writing the program \`${file}\`: it was not started.`);
  if (code !== 'ENOENT') return error;
  if (!existsSync(cwd)) return stepFailure('command-not-found', `The folder \`${cwd}\` is not there any more.`);
  return stepFailure(
    'command-not-found',
    existsSync(file)
      ? `\`${file}\` is there, but not what starts it: the program that its first line names, or its loader.`
      : `The program \`${file}\` is not there any more.`,
  );
}
