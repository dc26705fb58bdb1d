import type { CommandSpec } from '../command.js';
import { EXIT } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { printResult } from '../terminal.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** What those scripts ask for while a person types. */
const NAMES = ['runs', 'gates'] as const;
/** What shells take as it is. Others may have started a run, and called its gates, by any name. */
const PLAIN = /^[\w./-]+$/;
/** More nobody reads. */
const MOST = 200;

/** The command that completes all others; `commands` gives them, itself included. */
export function completionOf(commands: () => readonly CommandSpec[]): CommandSpec {
  return {
    name: 'completion',
    summary: 'print a script by which a shell completes commands, options and their values, runs and gates',
    arguments: [
      {
        syntax: '<shell>',
        about: 'the shell; `runs` and `gates` print what is completed',
        choices: [...SHELLS, ...NAMES],
      },
    ],
    options: [],
    examples: [
      'source <(perdure completion bash)',
      'perdure completion fish > ~/.config/fish/completions/perdure.fish',
    ],
    async run({ arguments: [given], terminal }) {
      const names = NAMES.find((candidate) => candidate === given);
      if (names !== undefined) {
        const plain = (await namesOf(names, terminal)).filter((name) => PLAIN.test(name)).slice(0, MOST);
        printResult(terminal, plain.map((name) => `${name}\n`).join(''));
        return EXIT.success;
      }
      const { completionScript } = await import('../render/completion.js');
      const shell = SHELLS.find((candidate) => candidate === given) ?? 'bash';
      printResult(terminal, completionScript(shell, commands()));
      return EXIT.success;
    },
  };
}

/** Ids of runs, or addresses of open gates. It starts nothing, and is silent about what cannot be asked. */
async function namesOf(names: (typeof NAMES)[number], terminal: Terminal): Promise<string[]> {
  const { openExisting } = await import('../session.js');
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) return [];
  if (names === 'gates') {
    const { listGates } = await import('../observe/list-runs.js');
    return (await listGates(session, { once: true })).gates.map(({ address }) => address);
  }
  const { listOpen } = await import('../observe/list-runs.js');
  const open = (await listOpen(session.store)).map(({ run }) => run);
  const closed = await session.store.listRuns();
  return [...new Set([...open, ...closed.filter((run) => !run.includes('/'))])];
}
