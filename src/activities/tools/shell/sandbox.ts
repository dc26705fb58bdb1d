import { lstatSync, realpathSync } from 'node:fs';
import { totalmem } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ProgramToStart } from '../../processes/started-process.js';
import type { FixedNodes } from './fixed-nodes.js';
import { fixedNodes } from './fixed-nodes.js';
import { packageRoot } from '../../../store/folders/package-root.js';
import { seccompFilter } from '../../../store/processes/seccomp.js';
import { programPlaces } from '../../../store/processes/program-places.js';
import { runProgram } from '../../../store/processes/run-program.js';
import { SANDBOX_PROGRAMS, SYSTEM_FOLDERS, bareSandbox } from '../../../store/processes/bare-sandbox.js';
import type { Mounts, Shown } from './workspace-mounts.js';
import { emptied, workspaceMounts } from './workspace-mounts.js';

/** Long: a busy machine is no machine without a sandbox. */
const PROBE_MS = 60_000;

/** Of `/etc`, what programs need to start: no account, no password, no key, no configuration of a person. */
const ETC = [
  'alternatives',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'crypto-policies',
  'ca-certificates',
  'ca-certificates.conf',
  'ssl/certs',
  'ssl/cert.pem',
  'ssl/openssl.cnf',
  'pki/ca-trust',
  'pki/tls/certs',
  'pki/tls/cert.pem',
  'pki/tls/openssl.cnf',
].map((name) => `/etc/${name}`);
const NETWORK = ['/etc/gai.conf', '/etc/services', '/etc/protocols'];
/** Files of ours in place of the machine's: they name the sandbox's own user, and its own resolver. */
const OWN_ETC = ['passwd', 'group', 'nsswitch.conf', 'hosts'];
const OWN_NETWORK = ['resolv.conf'];
/** Of the memory, so much can be filled in `/tmp`, and half of it in `/dev/shm`. */
const MEMORY_SHARE = 1 / 4;
/** What a machine without one is told. */
export const NO_SANDBOX =
  process.platform === 'linux'
    ? 'This machine has no sandbox: install the package `bubblewrap` (`apt-get install bubblewrap`), and let it ' +
      'make namespaces (`bwrap --ro-bind / / --unshare-all true` must succeed).'
    : 'This machine has no sandbox: there is one on Linux only, with the package `bubblewrap`. Have a worker on ' +
      'Linux do the work (`TEMPORAL_ADDRESS`, `perdure worker`).';

/** Where `HOME` and `TMPDIR` are in the sandbox: empty, and gone at its end. */
export const SANDBOX_HOME = '/tmp/home';

/** What of the machine a command sees: its workspace, programs, and nothing else. */
export interface Enclosure {
  /** Absolute. */
  cwd: string;
  path: string;
  network: boolean;
  /** By `mountsOf`. */
  mounts: string[];
  /** Files that stand in the places of others. */
  shown?: { from: string; at: string }[] | undefined;
}

/** The program `bwrap`, and what it can do here. */
export interface Sandbox {
  file: string;
  /** Whose the processes are: an ordinary user's, wherever user namespaces can be made. */
  identity: string[];
  /** Whether folders in memory are limited. */
  sized: boolean;
  /** Words before `file`. */
  before: FixedNodes;
}

/**
 * Ways to have one, the best first: what 0.8 can do, older ones, and root without user namespaces (in a container,
 * say).
 */
const USER = ['--unshare-user', '--uid', '1000', '--gid', '1000'];
const WAYS: Pick<Sandbox, 'identity' | 'sized'>[] = [
  { identity: [...USER, '--disable-userns'], sized: true },
  { identity: USER, sized: false },
  { identity: [], sized: false },
];

const filter = seccompFilter();
/** How a program is started in the sandbox: what its last descriptors are for, by `descriptors`. */
export const IN_SANDBOX: Pick<ProgramToStart, 'given' | 'namespace'> = {
  ...(filter === null ? {} : { given: filter.toString('latin1') }),
  namespace: true,
};

let found: Promise<Sandbox | null> | null = null;

/**
 * The sandbox, where the system has one and lets it make namespaces. One that was found is looked for no more; what is
 * not there may come.
 */
export async function findSandbox(): Promise<Sandbox | null> {
  found ??= probe();
  const sandbox = await found;
  if (sandbox === null) found = null;
  return sandbox;
}

async function probe(): Promise<Sandbox | null> {
  for (const file of SANDBOX_PROGRAMS.filter(exists)) {
    for (const way of WAYS) {
      const sandbox = { file, ...way, before: await fixedNodes() };
      const { exitCode } = await runProgram(file, [...baseOf(sandbox, false), '/usr/bin/env', 'true'], {
        timeout: PROBE_MS,
        env: { PATH: '/usr/bin:/bin' },
      });
      if (exitCode === 0) return sandbox;
    }
  }
  return null;
}

/** Arguments of `bwrap` that say what its last descriptors are for, the first of which is this one. */
export function descriptors(first: number): string[] {
  return filter === null ? ['--info-fd', String(first)] : ['--seccomp', String(first), '--info-fd', String(first + 1)];
}

/** How `bwrap` is started with these arguments. */
export function started({ before, file }: Sandbox, args: string[]): { file: string; args: string[] } {
  const [first = file, ...rest] = [...before, file, ...args];
  return { file: first, args: rest };
}

/** Arguments of `bwrap` before the command and its own. */
export function enclose(sandbox: Sandbox, { cwd, path, network, mounts, shown = [] }: Enclosure): string[] {
  return [
    ...baseOf(sandbox, network),
    ...programFolders(path).flatMap(bindReadOnly),
    '--dir',
    SANDBOX_HOME,
    ...mounts,
    ...shown.flatMap(({ from, at }) => ['--ro-bind', from, at]),
    '--remount-ro',
    '/',
    // With a network, a socket to us comes before it.
    ...descriptors(network ? 4 : 3),
    '--chdir',
    cwd,
    '--',
  ];
}

/** Arguments of `bwrap` that show a workspace as it is now, and nothing of state folders, wherever they are. */
export function mountsOf(shown: Shown, path: string): Mounts {
  const folders = [shown.workspace, ...SYSTEM_FOLDERS, ...programFolders(path)];
  const { mounts, basis, ...rest } = workspaceMounts(shown);
  const states = emptied(shown.states, folders);
  return { ...rest, mounts: [...mounts, ...states], basis: [...basis, ...states] };
}

/** With a network it begins in a namespace that has one, which is not made here. */
function baseOf({ identity, sized }: Sandbox, network: boolean): string[] {
  const files = [...ETC, ...(network ? NETWORK : [])];
  const own = [...OWN_ETC, ...(network ? OWN_NETWORK : [])];
  const most = Math.floor(totalmem() * MEMORY_SHARE);
  return [
    ...identity,
    ...bareSandbox({ network }),
    ...files.flatMap(bindReadOnly),
    ...own.flatMap((name) => ['--ro-bind', join(packageRoot(), 'definitions', 'sandbox', name), `/etc/${name}`]),
    ...folderInMemory('/dev/shm', sized ? most / 2 : null),
    '--remount-ro',
    '/dev',
    ...folderInMemory('/tmp', sized ? most : null),
  ];
}

function folderInMemory(path: string, bytes: number | null): string[] {
  return [...(bytes === null ? [] : ['--size', String(Math.floor(bytes))]), '--tmpfs', path];
}

function bindReadOnly(path: string): string[] {
  return ['--ro-bind-try', path, path];
}

/** What is shown for the folders of PATH outside of the system's. */
function programFolders(path: string): string[] {
  return path.split(delimiter).flatMap((entry) => {
    const folder = realOf(entry);
    return folder === null ? [] : programPlaces(folder);
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
