import { execFile } from 'node:child_process';
import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { SYSTEM_FOLDERS, showSystem } from '../../../store/system-folders.js';

const run = promisify(execFile);
/** Long: what it says holds for the worker's life, and a busy machine is no machine without a sandbox. */
const PROBE_MS = 60_000;

/** Of `/etc`, what programs need to start: no password, no key, no configuration of a person. */
const ETC = ['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'ssl', 'ca-certificates', 'ca-certificates.conf', 'passwd', 'group', 'nsswitch.conf', 'localtime', 'mime.types', 'pki', 'crypto-policies'].map((name) => `/etc/${name}`);
const NETWORK = ['/etc/resolv.conf', '/etc/hosts', '/etc/gai.conf', '/etc/services', '/etc/protocols'];
/** Folders below a person's own in which versions of languages are kept: programs need all of them, and no key is there. */
const VERSION_MANAGERS = new Set(['.pyenv', '.nvm', '.fnm', '.volta', '.nodenv', '.rbenv', '.asdf', '.rustup', '.sdkman', '.bun', '.deno']);
/** Of a repository, what makes git run programs. The rest may change: agents commit. */
const GIT_FIXED = ['config', 'config.worktree', 'hooks', 'commondir', 'info/attributes'];

/** Where `HOME` and `TMPDIR` are in the sandbox: empty, and gone at its end. */
export const SANDBOX_HOME = '/tmp/home';

/** What of the machine a command sees: its workspace, programs, and nothing else. */
export interface Enclosure {
  workspace: string;
  /** Absolute. */
  cwd: string;
  path: string;
  network: boolean;
  /** Paths of the workspace that it reads and does not write. */
  fixed: string[];
}

let found: Promise<string | null> | null = null;

/** The program `bwrap`, where the system has it and lets it make namespaces; looked for once by each worker. */
export function findSandbox(): Promise<string | null> {
  found ??= probe();
  return found;
}

async function probe(): Promise<string | null> {
  for (const file of ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap']) {
    const works = await run(file, [...baseOf(false), '/usr/bin/env', 'true'], { timeout: PROBE_MS, env: { PATH: '/usr/bin:/bin' } }).then(() => true, () => false);
    if (works) return file;
  }
  return null;
}

/** Arguments of `bwrap` before the command and its own. */
export function enclose({ workspace, cwd, path, network, fixed }: Enclosure): string[] {
  const readOnly = fixed.map((entry) => join(workspace, entry)).filter(exists);
  const git = join(workspace, '.git');
  return [
    ...baseOf(network),
    ...programFolders(path).flatMap((folder) => bindReadOnly(folder)),
    '--dir', SANDBOX_HOME,
    '--bind', workspace, workspace,
    // As mounts of their own they can be neither renamed nor replaced.
    ...(isFolder(git) ? ['--bind', git, git] : []),
    ...readOnly.flatMap((folder) => bindReadOnly(folder)),
    ...(exists(join(workspace, '.perdure')) ? ['--tmpfs', join(workspace, '.perdure')] : []),
    '--chdir', cwd,
    '--',
  ];
}

/** Paths of a workspace that a command in the sandbox must not change, by what the permissions protect at its root. */
export function fixedPaths(protectedPaths: string[]): string[] {
  const atRoot = protectedPaths.map((path) => path.replace(/^\//, '')).filter((path) => path !== '.git');
  return [...atRoot, ...GIT_FIXED.map((name) => `.git/${name}`)];
}

function baseOf(network: boolean): string[] {
  const files = [...ETC, ...(network ? NETWORK : [])];
  return [
    '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try',
    ...(network ? [] : ['--unshare-net']),
    '--die-with-parent', '--new-session', '--cap-drop', 'ALL',
    ...showSystem(),
    ...files.flatMap(bindReadOnly),
    '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp',
  ];
}

function bindReadOnly(path: string): string[] {
  return ['--ro-bind-try', path, path];
}

/**
 * Folders of PATH outside of the system's, each with what stands beside its `bin` (libraries of a Node that was unpacked
 * somewhere); of a person's own folder no more than the programs, for beside them are keys (`~/.cargo/credentials`).
 */
function programFolders(path: string): string[] {
  const home = homedir();
  return path.split(delimiter).flatMap((entry) => {
    const folder = realOf(entry);
    if (folder === null || SYSTEM_FOLDERS.some((known) => folder === known || folder.startsWith(`${known}/`))) return [];
    const manager = relative(home, folder).split('/')[0] ?? '';
    if (VERSION_MANAGERS.has(manager)) return [join(home, manager)];
    const beside = dirname(folder);
    const isOwn = beside === home || dirname(beside) === home || beside === '/' || dirname(beside) === '/';
    return [basename(folder) === 'bin' && !isOwn ? beside : folder];
  });
}

function realOf(path: string): string | null {
  try {
    return path.startsWith('/') ? realpathSync(path) : null;
  } catch {
    return null;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
