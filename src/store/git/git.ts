import { runProgram } from '../processes/run-program.js';
import { seccompFilter } from '../processes/seccomp.js';
import { enclose, gitProgram, sandboxProgram } from './enclosure.js';
import { removeUnfinished } from './unfinished.js';
import { watchForPipe } from './waited-pipe.js';

/** Where a call of git works, beside its repository. */
export interface GitPlace {
  /** Files that others may have written: git runs there, in a sandbox where the machine has one. */
  workTree?: string;
  /** Git writes these files too: they are a work tree that we made. */
  writes?: boolean;
  /** Folders below the work tree that are not shown. */
  hidden?: string[];
  /** The index, in the repository's own folder. */
  index?: string;
  /** A file of patterns that are ignored, likewise. */
  ignored?: string;
  /** More variables that git knows by itself: who commits, and when. */
  env?: Record<string, string>;
  /** What git reads. */
  input?: string | Uint8Array;
  /** Bytes that it may print. */
  most?: number;
  /** Hears each line that it says beside what it prints, where it did not fail. */
  onWarning?: (line: string) => void;
}

/**
 * Calls git on one repository of ours, and gives what it printed. Throws when git is not there, fails, or takes too
 * long.
 */
export type Git = (args: string[], place?: GitPlace) => Promise<Buffer>;

const TIMEOUT_MS = 10_000;
/** Where we are root git has a right by which it could open any file of the machine, if it knew its number. */
const FILTER = seccompFilter();
const FILTERED = FILTER === null ? [] : ['--seccomp', '3'];
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * The whole configuration. Files are kept as they are, nothing is packed in the background, and of two who name a tree
 * the later waits. The rest says for each way in which git starts another program that it does not.
 */
const SETTINGS = [
  'core.autocrlf=false',
  'core.quotePath=false',
  'core.compression=1',
  'core.filesRefLockTimeout=3000',
  'gc.auto=0',
  'maintenance.auto=false',
  'safe.bareRepository=explicit',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.splitIndex=false',
  'core.attributesFile=/dev/null',
  'core.pager=cat',
  'core.editor=false',
  'core.askPass=false',
  'core.sshCommand=false',
  'core.gitProxy=false',
  'credential.helper=',
  'gpg.program=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'diff.ignoreSubmodules=all',
  'protocol.allow=never',
  'core.alternateRefsCommand=false',
  'uploadpack.packObjectsHook=false',
];

/**
 * All that git is told of the machine: nothing of ours is passed on, and no file of a person or of the system is read.
 */
const ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  LC_ALL: 'C',
  HOME: '/nonexistent',
  XDG_CONFIG_HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ALLOW_PROTOCOL: 'none',
};

/** What a repository of ours needs beside what all do. */
export interface Needs {
  /** Folders of objects of other repositories that it borrows from: each call is made in a sandbox then. */
  reads?: string[];
  /** More settings, each `name=value`. */
  settings?: string[];
  /** Limit of a call; ten seconds when left out. */
  timeoutMs?: number;
}

/**
 * A git that knows the repository in this folder, which is ours, and nothing else: neither the user's settings nor
 * those of the files it looks at. It is the only one that we start.
 */
export function gitOf(folder: string, needs: Needs = {}): Git {
  const { timeoutMs = TIMEOUT_MS } = needs;
  const call = callsOf(folder, { ...needs, timeoutMs });
  return (args, place) =>
    call(args, place).catch(async (error: unknown) => {
      if (error instanceof GitError && error.tookTooLong) await removeUnfinished(folder, timeoutMs);
      throw error;
    });
}

function callsOf(folder: string, { reads = [], settings: more = [], timeoutMs }: Needs & { timeoutMs: number }): Git {
  return async (args, place = {}) => {
    const { workTree, writes, hidden = [], index, ignored = '/dev/null' } = place;
    const git = gitProgram(workTree);
    const settings = [...SETTINGS, ...more, `core.excludesFile=${ignored}`].flatMap((setting) => ['-c', setting]);
    const words = [
      `--git-dir=${folder}`,
      ...(workTree === undefined ? [] : [`--work-tree=${workTree}`]),
      '--no-pager',
      ...settings,
      ...args,
    ];
    const call = {
      ...place,
      env: { ...ENVIRONMENT, ...place.env, ...(index === undefined ? {} : { GIT_INDEX_FILE: index }) },
      cwd: workTree ?? folder,
      timeoutMs,
    };
    const bwrap = workTree === undefined && reads.length === 0 ? null : sandboxProgram();
    if (bwrap === null) return run(git, words, call);
    try {
      const sight = { workTree, writes, ours: [folder] as [string], reads, hidden };
      return await run(bwrap, [...FILTERED, ...enclose(git, sight), git, ...words], { ...call, filter: FILTER });
    } catch (error) {
      // A system that does not let it make namespaces: what git is told above is enough by itself.
      if (error instanceof GitError && error.said.startsWith('bwrap: ')) return run(git, words, call);
      throw error;
    }
  };
}

/** What git said before it failed. */
export class GitError extends Error {
  readonly said: string;
  readonly tookTooLong: boolean;
  /** How it ended by itself; null where it did not. */
  readonly exitCode: number | null;
  /** What it had printed until then. */
  readonly printed: Buffer;
  constructor(said: string, how: { why: string; tookTooLong: boolean; exitCode: number | null; printed: Buffer }) {
    super(said === '' ? how.why : said);
    this.name = 'GitError';
    this.said = said;
    this.tookTooLong = how.tookTooLong;
    this.exitCode = how.exitCode;
    this.printed = how.printed;
  }
}

/** Tells whether git stopped for want of room. */
export function saysFull(error: unknown): boolean {
  return error instanceof GitError && /No space left on device|Disk quota exceeded/.test(error.said);
}

interface Call extends Pick<GitPlace, 'workTree' | 'input' | 'most' | 'onWarning'> {
  env: Record<string, string>;
  cwd: string;
  timeoutMs: number;
  /** Read by `bwrap` from its next descriptor. */
  filter?: Buffer | null;
}

async function run(file: string, args: string[], call: Call): Promise<Buffer> {
  const { env, cwd, input = '', most = MOST_BYTES } = call;
  const settings = { env, cwd, input, maxBuffer: most, timeout: call.timeoutMs, encoding: 'buffer' } as const;
  const further = call.filter == null ? [] : [call.filter];
  const running = runProgram(file, args, { ...settings, stdio: ['pipe', 'pipe', 'pipe', ...further] });
  const watch = call.workTree === undefined ? null : watchForPipe(call.workTree, () => running.kill());
  const ended = await running.finally(() => watch?.stop());
  const pipe = watch?.found() ?? null;
  if (ended.failed && pipe !== null) throw waiting(pipe);
  const { stdout, stderr, failed, timedOut, isMaxBuffer, exitCode = null } = ended;
  const printed = Buffer.from(stdout.buffer, stdout.byteOffset, stdout.byteLength);
  const said = Buffer.from(stderr).toString().trim();
  if (!failed) {
    for (const line of said.split('\n')) call.onWarning?.(line);
    return printed;
  }
  throw new GitError(said, { why: ended.shortMessage ?? '', tookTooLong: timedOut || isMaxBuffer, exitCode, printed });
}

function waiting(pipe: string): GitError {
  const said = `\`${pipe}\` is a pipe, on which git would wait for ever: remove it.`;
  return new GitError(said, { why: said, tookTooLong: true, exitCode: null, printed: Buffer.alloc(0) });
}
