import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { isBelow, realOf } from '../folders/places.js';
import { readTextNow } from '../read-regular.js';
import { SYSTEM_FOLDERS } from './bare-sandbox.js';

/** Folders in a home with versions of languages, or packages: programs need all of them, and no key is there. */
const KNOWN = new Set([
  '.pyenv',
  '.nvm',
  '.fnm',
  '.volta',
  '.nodenv',
  '.rbenv',
  '.asdf',
  '.rustup',
  '.sdkman',
  '.bun',
  '.deno',
  '.linuxbrew',
]);
/** What stands beside the programs of an installation, and not beside those of a person. */
const BESIDE = ['lib', 'lib64', 'libexec', 'include', 'pkg', 'gems', 'conda-meta', 'autoload.php', 'pyvenv.cfg'];
/** A virtual environment of Python, whatever it is called. */
const ENVIRONMENT = 'pyvenv.cfg';
/** Folders in a home in which many programs keep what is theirs, keys too. */
const SHARED = new Set(['.local', '.config']);
/** Each folder in one of these is a home. */
const OF_HOMES = ['/home', '/Users', '/var/home'];

let accounts: string[] | null = null;

/**
 * What a sandbox shows for a folder of programs outside of the system's: with `bin` also what stands beside it, where
 * that is an installation. Of a home no more than the programs, and the libraries beside those of a hidden folder in
 * it: there are keys beside them (`~/.cargo/credentials.toml`). Nothing for what is somebody's home, or holds one.
 */
export function programPlaces(folder: string): string[] {
  const real = realOf(folder);
  if (isOfSystem(folder) || isOfSystem(real) || holdsHome(real) || isShared(real)) return [];
  const home = homeOf(real);
  const manager = home === null ? '' : (relative(home, real).split('/')[0] ?? '');
  if (home !== null && KNOWN.has(manager)) return [lexical(folder, real, join(home, manager))];
  if (basename(folder) !== 'bin') return [folder];
  const beside = dirname(folder);
  if (isInstallation(realOf(beside))) return [beside];
  return isHiddenIn(realOf(beside)) ? [folder, join(beside, 'lib')] : [folder];
}

export function isOfSystem(path: string): boolean {
  return SYSTEM_FOLDERS.some((known) => path === known || path.startsWith(`${known}/`));
}

/** The folder above, as the path names it that was asked for. */
function lexical(folder: string, real: string, above: string): string {
  const below = relative(above, real);
  return below !== '' && folder.endsWith(`/${below}`) ? folder.slice(0, -below.length - 1) : above;
}

function isInstallation(folder: string): boolean {
  if (dirname(dirname(folder)) === dirname(folder) || holdsHome(folder)) return false;
  if (isHiddenIn(folder)) return existsSync(join(folder, ENVIRONMENT));
  return BESIDE.some((name) => existsSync(join(folder, name)));
}

/** Is it a folder of a home that programs keep what is theirs in, such as `~/.local`? */
function isHiddenIn(folder: string): boolean {
  return basename(folder).startsWith('.') && isHome(dirname(folder));
}

function isShared(folder: string): boolean {
  return SHARED.has(basename(folder)) && isHiddenIn(folder);
}

function isHome(folder: string): boolean {
  return OF_HOMES.includes(dirname(folder)) || homes().includes(folder);
}

function holdsHome(folder: string): boolean {
  return isHome(folder) || [...OF_HOMES, ...homes()].some((home) => isBelow(home, folder));
}

/** The home that a folder is in. */
function homeOf(folder: string): string | null {
  for (let at = folder; at !== dirname(at); at = dirname(at)) if (isHome(at)) return at;
  return null;
}

/** Of all who have one here: this process may run as another user than the one whose programs are on its PATH. */
function homes(): string[] {
  accounts ??= [...homesOfAccounts(), '/root'].filter((home) => home.startsWith('/') && existsSync(home)).map(realOf);
  return [...accounts, realOf(homedir())].filter((home) => home !== '/' && !isOfSystem(home));
}

function homesOfAccounts(): string[] {
  const found: string[] = [];
  try {
    found.push(userInfo().homedir);
  } catch {
    // This user has no account.
  }
  try {
    found.push(
      ...readTextNow('/etc/passwd')
        .split('\n')
        .map((line) => line.split(':')[5] ?? ''),
    );
  } catch {
    // Accounts are kept elsewhere.
  }
  return found;
}
