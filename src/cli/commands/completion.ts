import type { CommandSpec } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { printResult } from '../terminal.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The command that completes all others; `commands` gives them, itself included. */
export function completionOf(commands: () => readonly CommandSpec[]): CommandSpec {
  return {
    name: 'completion',
    summary: 'print a script by which a shell completes commands and options',
    arguments: [{ syntax: '<shell>', about: 'the shell', choices: [...SHELLS] }],
    options: [],
    examples: [
      'source <(perdure completion bash)',
      'perdure completion fish > ~/.config/fish/completions/perdure.fish',
    ],
    async run({ arguments: [given], terminal }) {
      const { completionScript } = await import('../render/completion.js');
      const shell = SHELLS.find((candidate) => candidate === given) ?? 'bash';
      printResult(terminal, completionScript(shell, commands()));
      return EXIT.success;
    },
  };
}
