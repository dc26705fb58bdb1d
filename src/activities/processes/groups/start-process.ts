import type { Launcher, LauncherPlace } from '../launcher/launcher.js';
import { startLauncher } from '../launcher/launcher.js';
import { CutOff } from '../launcher/pending-launch.js';
import type { ProgramToStart, StartedProcess } from '../started-process.js';
import { spawnProcess } from '../started-process.js';

/**
 * What this process knows of its launcher: none is started before the first program, and none again where it could not
 * be.
 */
let place: LauncherPlace | null = null;
let launcher: Launcher | 'starting' | 'impossible' | null = null;

/** From now on programs are started by a process beside this one, where that is faster. Returns how to end that. */
export function useLauncher(given: LauncherPlace): () => void {
  // Elsewhere than on Linux a process is started without copying anything of ours.
  if (process.platform === 'linux') place = given;
  return () => {
    place = null;
    if (launcher !== null && typeof launcher === 'object') launcher.close();
  };
}

/**
 * Starts a program in a process group of its own: by the launcher where that is ready, and the program needs nothing of
 * this process's. Rejects with the error of `spawn`.
 */
export async function startProcess(program: ProgramToStart): Promise<StartedProcess> {
  const { file, args, cwd, env, given, namespace } = program;
  const ready =
    program.stdin === null && program.inherit === undefined && program.pipes === undefined ? readyLauncher() : null;
  if (ready === null) return spawnProcess(program);
  try {
    return await ready.launch({
      file,
      args,
      cwd,
      env,
      ...(given === undefined ? {} : { given }),
      ...(namespace === undefined ? {} : { namespace }),
    });
  } catch (error) {
    if (error instanceof CutOff) return spawnProcess(program);
    throw error;
  }
}

function readyLauncher(): Launcher | null {
  if (launcher === null && place !== null) void start(place);
  return launcher !== null && typeof launcher === 'object' ? launcher : null;
}

async function start(at: LauncherPlace): Promise<void> {
  launcher = 'starting';
  try {
    const started = await startLauncher(at);
    launcher = started;
    void started.ended.then(() => {
      launcher = null;
    });
    if (place === null) started.close();
  } catch {
    launcher = 'impossible';
  }
}
