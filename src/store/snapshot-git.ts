import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a call of git works, beside its repository. */
export interface GitPlace {
  workTree?: string;
  index?: string;
  cwd?: string;
  /** A file of patterns that are ignored. */
  ignored?: string;
  /** What git reads. */
  input?: string;
  /** An exit code that is no failure either. */
  passing?: number;
}

/** Calls git on one repository, and gives what it printed. Throws when git is not there, fails, or takes too long. */
export type Git = (args: string[], place?: GitPlace) => Promise<Buffer>;

const LIMITS = { timeout: 10_000, maxBuffer: 256 * 1024 * 1024 };
/** Files are kept as they are: no line ends are changed, and nothing is packed in the background. Of two who name a tree the later waits. */
const SETTINGS = ['core.autocrlf=false', 'core.quotePath=false', 'core.compression=1', 'core.filesRefLockTimeout=3000', 'gc.auto=0', 'advice.addEmbeddedRepo=false'];

/** A git that knows the repository in this folder and nothing else: neither the user's settings nor the project's. */
export function gitOf(folder: string): Git {
  return (args, { workTree, index, cwd, ignored, input = '', passing = 0 } = {}) => {
    const settings = [...SETTINGS, ...(ignored === undefined ? [] : [`core.excludesFile=${ignored}`])].flatMap((setting) => ['-c', setting]);
    const env = {
      PATH: process.env['PATH'], LC_ALL: 'C', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', GIT_DIR: folder,
      ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
      ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
    };
    return new Promise((resolve, reject) => {
      const child = execFile('git', [...settings, ...args], { ...LIMITS, env, cwd, encoding: 'buffer' }, (error: Error | null, stdout) => {
        if (error === null || ('code' in error && error.code === passing)) resolve(stdout);
        else reject(error);
      });
      child.stdin?.on('error', () => undefined); // it ended without reading
      child.stdin?.end(input);
    });
  };
}

/** Gives the path of an index of its own in a folder, where nothing of it is left afterwards. */
export async function withIndex<T>(folder: string, use: (index: string) => Promise<T>): Promise<T> {
  const index = join(folder, `index.${randomBytes(6).toString('hex')}`);
  try {
    return await use(index);
  } finally {
    await Promise.all([rm(index, { force: true }), rm(`${index}.lock`, { force: true })]);
  }
}
