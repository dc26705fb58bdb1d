import { basename } from 'node:path';

/** How a server's program is started: its arguments, and variables beside those that the config declares. */
export interface Start {
  args: string[];
  env: Record<string, string>;
}

/** Why a server is not started, in one sentence. */
export interface Refused {
  refused: string;
}

/** Words that say what a runner does: options before them may have values. */
const COMMANDS = ['exec', 'x', 'dlx', 'run', 'start'];
/** A place where no package is. */
const NOWHERE = ['--prefix', '/dev/null'];
const ROOT = ['-C', '/'];
const NO_LOCAL = ['--no-config', '--node-modules-dir=none'];

const RUNNERS = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'bun', 'bunx', 'deno', 'yarn', 'pipx']);
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
 * there: an agent may have put a package there under the server's name, which would be given the server's keys. The
 * server runs in its folder all the same. Refused are runners that cannot be told so.
 */
export function startOf(program: string, args: string[]): Start | Refused {
  const name = basename(program);
  if (PYTHON.test(name)) return ofPython(args);
  if (SHELL.test(name)) return ofShell(name, args);
  return STARTERS.has(name) ? behind(name, args) : ofRunner(name, args);
}

function ofRunner(name: string, args: string[]): Start | Refused {
  const command = args.find((word) => COMMANDS.includes(word)) ?? '';
  const at = args.indexOf(command) + 1;
  switch (`${name} ${command}`) {
    case 'npm exec':
    case 'npm x':
      return plain([...NOWHERE, ...args]);
    case 'pnpm dlx':
      return plain([...ROOT, ...args]);
    case 'bun x':
      return versioned(args, args.slice(at));
    case 'deno run':
      return plain(args.some((word) => /^(npm|jsr):/.test(word)) ? args.toSpliced(at, 0, ...NO_LOCAL) : args);
    case 'yarn dlx':
      return { refused: `\`yarn dlx\` runs what \`.yarnrc.yml\` names there. ${INSTEAD}` };
    case 'pipx run':
      return {
        refused: '`pipx run` runs a file of the folder under that name. Start the server by `uvx <package>`.',
      };
  }
  if (name === 'npx') return plain([...NOWHERE, ...args]);
  if (name === 'pnpx') return plain([...ROOT, ...args]);
  return name === 'bunx' ? versioned(args, args) : plain(args);
}

/** A script imports from its own folder, by its path; a module, or code in a word, would from the one it runs in. */
function ofPython(args: string[]): Start {
  const { flags, isScript } = optionsOfPython(args);
  if (isScript) return plain(args);
  // By `-E` it would not look at the variable.
  return flags.includes('E') ? plain(['-P', ...args]) : { args, env: { PYTHONSAFEPATH: '1' } };
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
  return at === -1 ? plain(args) : unlessInText(`${name} -c`, args.slice(at).join(' '), args);
}

function behind(name: string, args: string[]): Start | Refused {
  for (const [at, word] of args.entries()) {
    if (/\s|^-[a-zA-Z]*S/.test(word)) return unlessInText(name, args.join(' '), args);
    if (!isKnown(word)) continue;
    const start = startOf(word, args.slice(at + 1));
    if ('refused' in start) return start;
    // It may not pass variables on: `env -i`.
    const more = Object.keys(start.env).length > 0 ? ['-P'] : [];
    return plain([...args.slice(0, at + 1), ...more, ...start.args]);
  }
  return plain(args);
}

/** Refused where a text that is not ours to change starts a runner which would have to be told. */
function unlessInText(starter: string, text: string, args: string[]): Start | Refused {
  const words = text.split(/[\s;&|(){}<>"'`$=\\]+|(?<=(?:^|\s)-[a-zA-Z]*S)/); // `env -S` takes its words in one
  const runner = words.find((word, at) => {
    const rest = words.slice(at + 1);
    const start = isKnown(word) ? startOf(word, rest) : plain(rest);
    return 'refused' in start || start.args.join(' ') !== rest.join(' ') || Object.keys(start.env).length > 0;
  });
  if (runner === undefined) return plain(args);
  return {
    refused:
      `\`${starter}\` starts \`${runner}\`, which may take a package of the folder it runs in: only a runner that is ` +
      'the program itself is kept from that. Make it the first word of `command`, with `env` and `cwd` beside it.',
  };
}

function isKnown(word: string): boolean {
  const name = basename(word);
  return RUNNERS.has(name) || STARTERS.has(name) || PYTHON.test(name) || SHELL.test(name);
}

const INSTEAD = 'An agent may write in that folder: start the server by `npx -y <package>`.';

/** `bunx` takes a package of the folder where no version is named. */
function versioned(args: string[], words: string[]): Start | Refused {
  const wanted = words.find((word) => !word.startsWith('-')) ?? '';
  if (/.@[^/]+$/.test(wanted)) return plain(args);
  return {
    refused: `\`bunx\` takes \`${wanted}\` of the folder it runs in, unless a version is named. ${INSTEAD}`,
  };
}

function plain(args: string[]): Start {
  return { args, env: {} };
}
