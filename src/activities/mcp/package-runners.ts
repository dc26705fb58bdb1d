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

/**
 * The start of a server's program, such that a runner of packages takes none of the folder it runs in and obeys no file
 * there: an agent may have put a package there under the server's name, which would be given the server's keys. The
 * server runs in its folder all the same. Refused are runners that cannot be told so.
 */
export function startOf(program: string, args: string[]): Start | Refused {
  const name = basename(program);
  if (/^python[\d.]*$/.test(name)) return { args, env: args.includes('-m') ? { PYTHONSAFEPATH: '1' } : {} };
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
  }
  if (name === 'npx') return plain([...NOWHERE, ...args]);
  if (name === 'pnpx') return plain([...ROOT, ...args]);
  return name === 'bunx' ? versioned(args, args) : plain(args);
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
