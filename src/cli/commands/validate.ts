import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { EXIT, usageError } from '../exit-codes.js';
import { print, printJson } from '../terminal.js';

export const validate: CommandSpec = {
  name: 'validate',
  summary: 'find the problems of definition files and folders; needs no server',
  arguments: [{ syntax: '<path...>', about: 'files, or folders that are searched' }],
  options: [JSON_OPTION],
  examples: ['perdure validate definitions'],
  async run({ arguments: paths, options, terminal }) {
    const { validatePaths } = await import('../../compiler/validate.js');
    const { files, empty, problems, sources } = validatePaths(paths, terminal.cwd);
    if (empty.length > 0)
      throw usageError(
        `There is nothing to validate in ${empty.map((path) => `\`${path}\``).join(', ')}: ` +
          'no file there is a definition.',
        'Definitions are YAML files, flows (`.flow`), agents (`.md` below `agents/`), chains and builds.',
      );
    const ok = !problems.some(({ severity }) => severity === 'error');
    if (options.flag('json')) printJson(terminal, { ok, problems });
    else {
      const { printProblems } = await import('../../compiler/problems/print-problems.js');
      print(terminal, printProblems(problems, sources, { files, color: terminal.resultPalette.colored }).trimEnd());
    }
    return ok ? EXIT.success : EXIT.usage;
  },
};
