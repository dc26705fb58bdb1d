import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import type { JsonObject } from '../../../plan/values/json.js';
import { commandEnvironment } from '../../processes/command-environment.js';
import { resolveExecutable } from '../../processes/executable.js';
import { announceCommand } from '../../processes/announced-commands.js';
import { createOutputCapture } from '../../processes/output-capture.js';
import type { ProcessOptions } from '../../processes/groups/process-group.js';
import { runProcess } from '../../processes/groups/process-group.js';
import { runTag } from '../../processes/tagged-processes.js';
import { loggedStream } from '../../attempt/logged-stream.js';
import { startTimeLimit } from '../../attempt/time-limit.js';
import { projectsIn } from '../../workspace/projects-in.js';
import { FileRefusal, asRefusal } from '../../refusal.js';
import type { Mask } from '../../values/mask-secrets.js';
import type { ToolContext } from '../handler/handler.js';
import { errorCode } from '../../../store/store-failure.js';
import { isBelow } from '../../../store/folders/places.js';
import { isSocket, stillCovered } from '../../../store/processes/bare-sandbox.js';
import { stateAround } from '../../../store/folders/state-folders.js';
import type { Begun, Sight } from '../../workspace/alike.js';
import { beginAlike, endsIn } from '../../workspace/alike.js';
import { keptPlaces } from '../../workspace/kept-places.js';
import { fixedIn } from './fixed-in.js';
import { madeProtected } from './guard.js';
import type { Kept } from './kept-by-patterns.js';
import { NOTHING_KEPT, keptByPatterns } from './kept-by-patterns.js';
import { holdInNetwork } from './network/attach.js';
import { NoNetwork, findNetwork } from './network/network.js';
import { staysInside } from './plain.js';
import type { Sandbox } from './sandbox.js';
import { NO_SANDBOX, IN_SANDBOX, SANDBOX_HOME, enclose, findSandbox, mountsOf, started } from './sandbox.js';
import type { Hidden } from './hidden.js';
import { hiddenFrom } from './hidden.js';
import { guardWorkspace, settleAfter } from './misleading.js';
import { makeFolders } from './workspace-mounts.js';

/** Of each stream, so much is told to the model. */
const SHOWN_BYTES = 30 * 1024;
/** A program that writes more than this is ended. */
const MOST_BYTES = 10 * 1024 * 1024;
/** For git: nothing that a repository's own configuration names is started. */
const QUIET_GIT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_COUNT: '3',
  GIT_CONFIG_KEY_0: 'core.fsmonitor',
  GIT_CONFIG_VALUE_0: 'false',
  GIT_CONFIG_KEY_1: 'core.hooksPath',
  GIT_CONFIG_VALUE_1: '/dev/null',
  GIT_CONFIG_KEY_2: 'protocol.ext.allow',
  GIT_CONFIG_VALUE_2: 'never',
};
/** Without a sandbox also no files are taken for a repository that only look like one. */
const BARE_GIT = {
  GIT_CONFIG_COUNT: '4',
  GIT_CONFIG_KEY_3: 'safe.bareRepository',
  GIT_CONFIG_VALUE_3: 'explicit',
};

export interface Program {
  argv: string[];
  /** Absolute, inside the workspace. */
  cwd: string;
  stdin: string | null;
  timeoutMs: number;
  /** So much is given of each stream: head and tail; 30 KiB when left out. */
  shownBytes?: number;
  /** Takes secrets out of what it writes before that is cut; what is whole is left to the caller. */
  mask?: Mask;
  network: boolean;
  /** It runs in the sandbox or not at all. */
  sandbox: boolean;
  /** Variables beside those of every program. */
  env?: Record<string, string>;
  /** Files that it sees in the places of others, or of nothing; read-only. Both absolute. */
  shown?: { from: string; at: string }[];
  /** A person wrote the program down: without a sandbox it runs like any command of a workflow. */
  authored?: true;
}

export type ProgramEnd =
  | { output: { exit_code: number; stdout: string; stderr: string } & JsonObject }
  /** `late` is what it had said when its time was over. */
  | { failure: string; late?: { stdout: string; stderr: string } };

/**
 * Runs a program for an agent: in the sandbox where there is one; without it only what reads the workspace and no more.
 */
export async function runProgram(program: Program, context: ToolContext): Promise<ProgramEnd> {
  const { workspace, run, store, signal } = context;
  const state = stateAround(workspace);
  if (state !== null) return { failure: `No program is run in \`${state}\`: it is the state of Perdure itself.` };
  const projects = await projectsIn(store, workspace);
  const hidden = await hiddenFrom(workspace, store.folder, projects).catch(asRefusal);
  if (hidden instanceof FileRefusal) return { failure: hidden.message };
  const sandbox = await findSandbox();
  if (sandbox === null && !(await mayRunBare(program, workspace, hidden.states)))
    return { failure: `This is run in a sandbox only. ${NO_SANDBOX}` };
  const command = announceCommand();
  try {
    const tag = runTag({ store: store.id, run, worker: process.pid, command: command.number });
    const env = { ...environment(workspace, sandbox !== null, tag), ...traced(context), ...program.env };
    const path = env['PATH'] ?? '';
    const place = { path, hidden, isBare: sandbox === null, projects };
    const begun = await beginInTime(program, place, context).catch(asRefusal);
    if (begun instanceof FileRefusal) return { failure: begun.message };
    if (begun === null) return { failure: tooLate(program) };
    try {
      const begin = async (): Promise<ProgramEnd> => {
        const file = resolveExecutable(program.argv[0] ?? '', program.cwd, path);
        const args = program.argv.slice(1);
        const watched = { program, env, signal, context, killRest: command.killRest };
        const around = { cwd: program.cwd, path, mounts: stillCovered(begun.mounts), shown: program.shown };
        const inside = (network: boolean): Startable =>
          sandbox === null ? { file, args } : enclosed(sandbox, [file, ...args], { ...around, network });
        return sandbox !== null && program.network ? withNetwork(inside, tag, watched) : watch(inside(false), watched);
      };
      const guard = await guardWorkspace(workspace, begun, context);
      // Also of one that was cancelled: what it has made does not stay.
      const end = await begin().catch((error: unknown) => settleAfter(error, guard, context.log));
      const made = await guard();
      return made.length === 0 ? end : { failure: madeProtected('the program', made) };
    } finally {
      begun.end();
    }
  } catch (error) {
    if (error instanceof ApplicationFailure && error.type === 'command-not-found') return { failure: error.message };
    if (errorCode(error) === 'E2BIG')
      return { failure: 'The arguments are too long for the system. Write what is long into a file, or to stdin.' };
    throw error;
  } finally {
    command.release();
  }
}

/** What a person wrote down does what it says: its tool is what is denied or asked about. */
function keptFrom(
  { authored }: Program,
  { workspace, permissions, allowed = false, signal }: ToolContext,
): Promise<Kept> {
  return authored === true
    ? Promise.resolve(NOTHING_KEPT)
    : keptByPatterns({ workspace, permissions, allowed, signal });
}

/** Where a program is to begin: what of the machine is not shown to it, and whether it is one without a sandbox. */
interface Place {
  path: string;
  hidden: Hidden;
  isBare: boolean;
  projects: string[];
}

/** A program that has begun, with the paths that it must not write. */
type BegunProgram = Begun & { fixed: string[]; madeSince: Kept['madeSince'] };

/**
 * Waits for other commands no longer than the program may take; null where that was not enough. Throws a refusal where
 * more is kept from it than can be.
 */
async function beginInTime(program: Program, place: Place, context: ToolContext): Promise<BegunProgram | null> {
  const { workspace, permissions, store, run, signal } = context;
  const limit = startTimeLimit(signal, program.timeoutMs);
  try {
    await makeFolders(workspace, permissions);
    for (;;) {
      const ended = endsIn(workspace);
      const kept = place.isBare ? NOTHING_KEPT : await keptFrom(program, context);
      const own = await fixedIn({ store, run, workspace, projects: place.projects }, permissions.protected);
      const fixed = [...own, ...kept.fixed];
      const shown = { workspace, writable: kept.all ? [] : permissions.writable, ...place.hidden };
      const look = (shared: string[] | null): Sight => {
        const places = keptPlaces(workspace, fixed);
        const sockets = (shared ?? place.hidden.sockets).filter(isSocket);
        const mounts = mountsOf({ ...shown, kept: places, sockets }, place.path);
        return { ...mounts, sockets, kept: places, patterns: kept.open };
      };
      const begun = await beginAlike(workspace, look, limit.signal, movable(program, workspace, fixed));
      if (begun === null) signal.throwIfAborted();
      if (begun === null) return null;
      // What patterns fit was looked for while another command still ran, which may have made more of it.
      const isSure = kept.open.length === 0 || endsIn(workspace) === ended;
      const now = isSure ? kept : await keptFrom(program, context).catch(endedBy(begun));
      if (isAlike(now, kept)) return { ...begun, fixed, madeSince: kept.madeSince };
      begun.end();
    }
  } finally {
    limit.release();
  }
}

function endedBy({ end }: Begun): (error: unknown) => never {
  return (error) => {
    end();
    throw error;
  };
}

/** Tells whether patterns fit the same. */
function isAlike(one: Kept, other: Kept): boolean {
  return one.fixed.join('\0') === other.fixed.join('\0');
}

/** Of the files that it sees in the places of others, those that another command could move. */
function movable({ shown = [] }: Program, workspace: string, fixed: string[]): string[] {
  const kept = fixed.map((path) => join(workspace, path)).filter((path) => existsSync(path));
  return shown.map(({ at }) => at).filter((at) => !kept.some((path) => isBelow(at, path)));
}

function tooLate({ timeoutMs }: Program): string {
  return (
    `The program was not begun within ${timeoutMs / 1000} s: another command runs in this workspace and sees it ` +
    'otherwise, by other permissions or because it has made something protected. Try again.'
  );
}

/** Tells whether a program is run without a sandbox where there is none. */
async function mayRunBare(program: Program, workspace: string, states: string[]): Promise<boolean> {
  if (program.authored === true) return true;
  return !program.sandbox && (await staysInside(program.argv, program.cwd, workspace, states));
}

function enclosed(sandbox: Sandbox, argv: string[], place: Parameters<typeof enclose>[1]): Startable {
  return { ...started(sandbox, [...enclose(sandbox, place), ...argv]), ...IN_SANDBOX };
}

/** Where no network can be had the program runs without one, and is told why. */
async function withNetwork(
  inside: (network: boolean) => Startable,
  tag: string,
  watched: Watched,
): Promise<ProgramEnd> {
  try {
    const { attach, ...held } = holdInNetwork(inside(true), findNetwork(), tag);
    return await watch({ ...held, ...IN_SANDBOX, pipes: 1, attend: attach }, watched);
  } catch (error) {
    watched.signal.throwIfAborted();
    if (!(error instanceof NoNetwork)) throw error;
    const end = await watch(inside(false), watched);
    const note = `It had no network: ${error.message}.`;
    return 'failure' in end
      ? { ...end, failure: `${end.failure}\n${note}` }
      : { output: { ...end.output, stderr: `${end.output.stderr}${note}\n` } };
  }
}

type Startable = Pick<ProcessOptions, 'file' | 'args' | 'pipes' | 'given' | 'namespace' | 'attend'>;

interface Watched {
  program: Program;
  env: Record<string, string>;
  signal: AbortSignal;
  context: Pick<ToolContext, 'log' | 'progress'>;
  killRest: () => Promise<void>;
}

async function watch(startable: Startable, { program, env, signal, context, killRest }: Watched): Promise<ProgramEnd> {
  const limit = startTimeLimit(signal, program.timeoutMs);
  const tooMuch = new AbortController();
  const stdout = createOutputCapture(program.shownBytes ?? SHOWN_BYTES, program.mask);
  const stderr = createOutputCapture(SHOWN_BYTES, program.mask);
  const out = loggedStream(context.log, 'stdout');
  const err = loggedStream(context.log, 'stderr');
  const take =
    (capture: typeof stdout, logged: typeof out) =>
    (chunk: Buffer): void => {
      capture.add(chunk);
      logged.add(chunk);
      context.progress['bytes'] = stdout.bytes() + stderr.bytes();
      if (stdout.bytes() + stderr.bytes() > MOST_BYTES) tooMuch.abort();
    };
  try {
    const end = await runProcess({
      ...startable,
      cwd: program.cwd,
      env,
      stdin: program.stdin,
      signal: AbortSignal.any([limit.signal, tooMuch.signal]),
      onStdout: take(stdout, out),
      onStderr: take(stderr, err),
      killRest,
    });
    signal.throwIfAborted();
    if (tooMuch.signal.aborted)
      return {
        failure: `The program was ended: it wrote more than ${MOST_BYTES / 1024 / 1024} MiB.\n${stdout.text()}`,
      };
    if (limit.isOver())
      return {
        failure:
          `The program did not end within ${program.timeoutMs / 1000} s.\n${stdout.text()}\n${stderr.text()}`.trimEnd(),
        late: { stdout: stdout.text(), stderr: stderr.text() },
      };
    return { output: { exit_code: end.code ?? 128, stdout: stdout.text(), stderr: stderr.text() } };
  } finally {
    out.end();
    err.end();
    limit.release();
  }
}

/** The trace that the call is part of, where it is traced. */
function traced({ traceparent }: Pick<ToolContext, 'traceparent'>): Record<string, string> {
  return traceparent === undefined ? {} : { TRACEPARENT: traceparent };
}

/** Nothing of the worker's environment but where programs are and the language; HOME holds nothing. */
function environment(workspace: string, isEnclosed: boolean, tag: string): Record<string, string> {
  const { PATH = '', HOME: _home, TMPDIR: _tmp, ...kept } = commandEnvironment({}, tag);
  const folders = PATH.split(delimiter).filter(
    (folder) => folder.startsWith('/') && folder !== workspace && !folder.startsWith(`${workspace}/`),
  );
  // Programs of the workspace itself come last, and only where they can do nothing else.
  const path = [...folders, ...(isEnclosed ? [join(workspace, 'node_modules', '.bin')] : [])].join(delimiter);
  const git = isEnclosed ? QUIET_GIT : { ...QUIET_GIT, ...BARE_GIT };
  return { ...kept, ...git, PATH: path, HOME: isEnclosed ? SANDBOX_HOME : '/nonexistent', TMPDIR: '/tmp' };
}
