import { join, relative } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { enclose } from '../../store/git/enclosure.js';
import type { LogWriter } from '../../store/logs/line.js';
import { commandEnvironment } from '../processes/command-environment.js';
import { resolveExecutable } from '../processes/executable.js';
import type { ProgramToStart } from '../processes/started-process.js';
import { announceCommand } from '../processes/announced-commands.js';
import { createOutputCapture } from '../processes/output-capture.js';
import { runProcess } from '../processes/groups/process-group.js';
import { runTag } from '../processes/tagged-processes.js';
import { IN_SANDBOX, descriptors, findSandbox, started } from '../tools/shell/sandbox.js';
import { hiddenFrom } from '../tools/shell/hidden.js';
import { statePlaces } from '../tools/shell/workspace-mounts.js';
import { projectsIn } from '../workspace/projects-in.js';
import { realOf } from '../../store/folders/places.js';
import { outsideFirst } from '../../store/processes/search-path.js';

/** Of what a tool says this much is kept to judge by; the log has all of it. */
const SAID_BYTES = 64 * 1024;

/** Around the programs of one activity. */
export interface Workbench {
  /** Whose the programs are. */
  owner: { store: string; run: string };
  /** The state folder of their run; null where that is elsewhere. */
  state: string | null;
  /** Absolute folder they run in. */
  cwd: string;
  signal: AbortSignal;
  log: LogWriter;
}

export interface ToolEnd {
  code: number | null;
  /** What it said, on both streams. */
  said: string;
}

/** What a tool sees that reads what agents may have written: the folder it runs in, to read, and these. Absolute. */
export interface ToolSight {
  writes: string;
  reads: string[];
}

/** In the sandbox where one is asked for and there is one: what a source names elsewhere is not there. */
async function enclosed(
  file: string,
  args: string[],
  sight: ToolSight | undefined,
  { cwd, state }: Workbench,
): Promise<Pick<ProgramToStart, 'file' | 'args' | 'given' | 'namespace'>> {
  const sandbox = sight === undefined ? null : await findSandbox();
  if (sight === undefined || sandbox === null) return { file, args };
  const { writes, reads } = sight;
  const real = realOf(cwd);
  const { states, sockets } = await hiddenFrom(real, state, await projectsIn({ folder: state }, real));
  const here = (place: string): string => join(cwd, relative(real, place));
  const hidden = statePlaces(states, [real]).map(here);
  const words = [
    ...enclose(file, { workTree: cwd, ours: [writes], reads, hidden, sockets: sockets.map(here) }),
    file,
    ...args,
  ];
  // Where we are root a tool has a right by which it could open any file of the machine, if it knew its number.
  return { ...started(sandbox, [...descriptors(3), ...words]), ...IN_SANDBOX };
}

/**
 * Runs a program of a toolchain to its end, in a process group of its own (I5), in the folder `from` where one is
 * named: tools take settings from where they run. Throws `command-not-found`.
 */
export async function runTool(
  argv: string[],
  bench: Workbench,
  options: { inherit?: number; onText?: (text: string) => void; sight?: ToolSight; from?: string } = {},
): Promise<ToolEnd> {
  const { owner, cwd, signal, log } = bench;
  const command = announceCommand();
  // Texts are compared with what tools say in English.
  const env = commandEnvironment(
    { LC_ALL: 'C', PYTHONUNBUFFERED: '1', PATH: outsideFirst(process.env['PATH'], cwd) },
    runTag({ ...owner, worker: process.pid, command: command.number }),
  );
  const said = createOutputCapture(SAID_BYTES);
  const take = (stream: 'stdout' | 'stderr') => {
    const decoder = new StringDecoder('utf8');
    return (chunk: Buffer): void => {
      const text = decoder.write(chunk);
      said.add(chunk);
      log.write(stream, text);
      options.onText?.(text);
    };
  };
  try {
    const file = resolveExecutable(argv[0] ?? '', cwd, env['PATH'] ?? '');
    const end = await runProcess({
      ...(await enclosed(file, argv.slice(1), options.sight, bench)),
      cwd: options.from ?? cwd,
      env,
      stdin: null,
      signal,
      killRest: command.killRest,
      onStdout: take('stdout'),
      onStderr: take('stderr'),
      ...(options.inherit === undefined ? {} : { inherit: options.inherit }),
    });
    signal.throwIfAborted();
    return { code: end.code, said: said.text() };
  } finally {
    command.release();
  }
}
