import { runProgram } from '../processes/run-program.js';
import { enclose, gitProgram, sandboxProgram } from './enclosure.js';

/** Where a call of git works, beside its repository. */
export interface GitPlace {
  /** Files that others may have written: git runs there, in a sandbox where the machine has one. */
  workTree?: string;
  /** Folders below the work tree that are not shown. */
  hidden?: string[];
  /** The index, in the repository's own folder. */
  index?: string;
  /** A file of patterns that are ignored, likewise. */
  ignored?: string;
  /** What git reads. */
  input?: string;
  /** Bytes that it may print. */
  most?: number;
}

/**
 * Calls git on one repository of ours, and gives what it printed. Throws when git is not there, fails, or takes too
 * long.
 */
export type Git = (args: string[], place?: GitPlace) => Promise<Buffer>;

const TIMEOUT_MS = 10_000;
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

/**
 * A git that knows the repository in this folder, which is ours, and nothing else: neither the user's settings nor
 * those of the files it looks at. It is the only one that we start.
 */
export function gitOf(folder: string): Git {
  return async (args, place = {}) => {
    const { workTree, hidden = [], index, ignored = '/dev/null' } = place;
    const git = gitProgram(workTree);
    const settings = [...SETTINGS, `core.excludesFile=${ignored}`].flatMap((setting) => ['-c', setting]);
    const words = [
      `--git-dir=${folder}`,
      ...(workTree === undefined ? [] : [`--work-tree=${workTree}`]),
      '--no-pager',
      ...settings,
      ...args,
    ];
    const call = {
      ...place,
      env: { ...ENVIRONMENT, ...(index === undefined ? {} : { GIT_INDEX_FILE: index }) },
      cwd: workTree ?? folder,
    };
    const bwrap = workTree === undefined ? null : sandboxProgram();
    if (bwrap === null || workTree === undefined) return run(git, words, call);
    try {
      return await run(bwrap, [...enclose(git, { workTree, ours: [folder], hidden }), git, ...words], call);
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
  constructor(said: string, { why, tookTooLong }: { why: string; tookTooLong: boolean }) {
    super(said === '' ? why : said);
    this.name = 'GitError';
    this.said = said;
    this.tookTooLong = tookTooLong;
  }
}

/** Tells whether git stopped for want of room. */
export function saysFull(error: unknown): boolean {
  return error instanceof GitError && /No space left on device|Disk quota exceeded/.test(error.said);
}

interface Call extends Pick<GitPlace, 'input' | 'most'> {
  env: Record<string, string>;
  cwd: string;
}

async function run(file: string, args: string[], call: Call): Promise<Buffer> {
  const { env, cwd, input = '', most = MOST_BYTES } = call;
  const settings = { env, cwd, input, maxBuffer: most, timeout: TIMEOUT_MS, encoding: 'buffer' } as const;
  const ended = await runProgram(file, args, settings);
  const { stdout, stderr, failed, timedOut, isMaxBuffer } = ended;
  if (!failed) return Buffer.from(stdout.buffer, stdout.byteOffset, stdout.byteLength);
  const said = Buffer.from(stderr).toString().trim();
  throw new GitError(said, { why: ended.shortMessage ?? '', tookTooLong: timedOut || isMaxBuffer });
}
