import { basename, join } from 'node:path';
import { packageRoot } from '../../store/folders/package-root.js';

/** What a server's program is told, and variables beside those that the config declares. */
export interface Start {
  args: string[];
  env?: Record<string, string>;
  /** It is to be started in `/`. */
  inRoot?: boolean;
}

/** Why a server is not started, in one sentence. */
export interface Refused {
  refused: string;
}

/** Words that say what a runner does: options before them may have values. */
const COMMANDS = ['exec', 'x', 'dlx', 'run', 'start'];
/** Starts the program behind these words in `/`, and says where the server is to run. */
const IN_ROOT = ['/bin/sh', '-c', 'export PERDURE_SERVER_FOLDER="$PWD" && cd / && exec "$@"', 'sh'] as const;
/** A place where no package is. */
const NOWHERE = ['--prefix', '/dev/null'];
const ROOT = ['-C', '/'];
/** By the folder's settings a shim of corepack may take another pnpm, from a registry that they name. */
const OWN_PNPM = { COREPACK_ENV_FILE: '0', COREPACK_ENABLE_PROJECT_SPEC: '0' };
const NO_LOCAL = ['--no-config', '--node-modules-dir=none'];

const RUNNERS = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'bun', 'bunx', 'deno', 'dx', 'yarn', 'pipx']);
const PYTHON = /^(?:python|pypy)[\d.]*(?:[dtw]|-dbg)?$/;
const SHELL = /^(?:(?:ba|da|z|k|a|fi|t?c)?sh|pwsh)$/;
/** Programs that start the one which stands behind their own words. */
const STARTERS = new Set(
  (
    'env nice ionice chrt taskset nohup setsid stdbuf timeout time sudo doas busybox caffeinate xvfb-run ' +
    'mise rtx asdf volta fnm corepack direnv dotenv dotenvx cross-env op doppler infisical chamber aws-vault ' +
    'conda mamba micromamba'
  ).split(' '),
);

/**
 * The start of a server's program, such that a runner of packages takes none of the folder it runs in and obeys no file
 * there: an agent may have put a package there under the server's name, or a program that a package is run by, which
 * would be given the server's keys. The server runs in its folder all the same. Refused are runners that cannot be told
 * so.
 */
export function startOf(program: string, args: string[]): Start | Refused {
  const name = basename(program);
  if (PYTHON.test(name)) return ofPython(args);
  if (SHELL.test(name)) return ofShell(name, args);
  return STARTERS.has(name) ? behind(name, args) : ofRunner(name, args);
}

/** The words by which a program is started. */
export function wordsOf(program: string, { args, inRoot = false }: Start): [string, ...string[]] {
  return inRoot ? [...IN_ROOT, program, ...args] : [program, ...args];
}

function ofRunner(name: string, args: string[]): Start | Refused {
  const command = args.find((word) => COMMANDS.includes(word)) ?? '';
  const at = args.indexOf(command) + 1;
  switch (`${name} ${command}`) {
    case 'npm exec':
    case 'npm x':
      return ofNpm(args);
    case 'pnpm dlx':
      return ofPnpm(args);
    case 'deno run':
      return { args: args.some((word) => /^(npm|jsr):/.test(word)) ? args.toSpliced(at, 0, ...NO_LOCAL) : args };
    case 'bun x':
    case 'deno x':
      return taken(`${name} x`);
    case 'yarn dlx':
      return { refused: `\`yarn dlx\` runs what \`.yarnrc.yml\` names there. ${INSTEAD}` };
    case 'pipx run':
      return {
        refused: '`pipx run` runs a file of the folder under that name. Start the server by `uvx <package>`.',
      };
  }
  if (name === 'npx') return ofNpm(args);
  if (name === 'pnpx') return ofPnpm(args);
  return name === 'bunx' || name === 'dx' ? taken(name) : { args };
}

/**
 * It puts programs of the folder it is started in before all others, also for what a package is run by (`env node`,
 * `sh`). What it runs packages by enters the server's folder behind it.
 */
function ofNpm(args: string[]): Start {
  const shell = join(packageRoot(), 'dist', 'activities', 'mcp', 'enter-folder.sh');
  return { args: [...NOWHERE, '--script-shell', shell, ...args], inRoot: true };
}

function ofPnpm(args: string[]): Start {
  return { args: [...ROOT, ...args], env: OWN_PNPM };
}

const INSTEAD = 'An agent may write in that folder: start the server by `npx -y <package>`.';

function taken(runner: string): Refused {
  return { refused: `\`${runner}\` takes programs of the folder it runs in. ${INSTEAD}` };
}

/** A script imports from its own folder, by its path; a module, or code in a word, would from the one it runs in. */
function ofPython(args: string[]): Start {
  const { flags, isScript } = optionsOfPython(args);
  if (isScript) return { args };
  // By `-E` it would not look at the variable.
  return flags.includes('E') ? { args: ['-P', ...args] } : { args, env: { PYTHONSAFEPATH: '1' } };
}

function optionsOfPython(args: string[]): { flags: string; isScript: boolean } {
  let flags = '';
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (!word.startsWith('-')) return { flags, isScript: true };
    const letters = word.startsWith('--') ? '' : word.slice(1);
    const end = letters.search(/[cmWX]/);
    flags += end === -1 ? letters : letters.slice(0, end);
    if (word === '-' || /[cm]/.test(letters.charAt(end))) break;
    // The value is the next word where none is attached.
    if (word === '--check-hash-based-pycs' || (end !== -1 && end === letters.length - 1)) at += 1;
  }
  return { flags, isScript: false };
}

/** What a shell starts is not ours to change. */
function ofShell(name: string, args: string[]): Start | Refused {
  const at = args.findIndex((word) => /^(?:-[a-z]*c|--?command)/i.test(word));
  return at === -1 ? { args } : unlessInText(`${name} -c`, args.slice(at).join(' '), args);
}

function behind(name: string, args: string[]): Start | Refused {
  for (const [at, word] of args.entries()) {
    if (/\s|^-[a-zA-Z]*S/.test(word)) return unlessInText(name, args.join(' '), args);
    if (!isKnown(word)) continue;
    const start = startOf(word, args.slice(at + 1));
    if ('refused' in start) return start;
    const before = args.slice(0, at);
    // What it starts is a name to corepack, which obeys files of the folder itself.
    if (name === 'corepack') return { ...start, args: [...before, word, ...start.args] };
    return { args: [...before, ...withVariables(word, start)] };
  }
  return { args };
}

/** The starter may not pass variables on: `env -i`. */
function withVariables(word: string, start: Start): string[] {
  const variables = Object.entries(start.env ?? {}).map(([name, value]) => `${name}=${value}`);
  if (variables.length === 0) return wordsOf(word, start);
  return PYTHON.test(basename(word)) ? [word, '-P', ...start.args] : ['env', ...variables, ...wordsOf(word, start)];
}

/** Refused where a text that is not ours to change starts a runner which would have to be told. */
function unlessInText(starter: string, text: string, args: string[]): Start | Refused {
  const words = text.split(/[\s;&|(){}<>"'`$=\\]+|(?<=(?:^|\s)-[a-zA-Z]*S)/); // `env -S` takes its words in one
  const runner = words.find(
    (word, at) => isKnown(word) && isTold(startOf(word, words.slice(at + 1)), words.slice(at + 1)),
  );
  if (runner === undefined) return { args };
  return {
    refused:
      `\`${starter}\` starts \`${runner}\`, which may take a package of the folder it runs in: only a runner that is ` +
      'the program itself is kept from that. Make it the first word of `command`, with `env` and `cwd` beside it.',
  };
}

function isTold(start: Start | Refused, args: string[]): boolean {
  return 'refused' in start || start.env !== undefined || start.args.join(' ') !== args.join(' ');
}

function isKnown(word: string): boolean {
  const name = basename(word);
  return RUNNERS.has(name) || STARTERS.has(name) || PYTHON.test(name) || SHELL.test(name);
}
