import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { EXIT, usageError } from '../exit-codes.js';
import { print, printJson, tell } from '../terminal.js';

export const fmt: CommandSpec = {
  name: 'fmt',
  summary: 'put definition files into their canonical form',
  arguments: [{ syntax: '<path...>', about: 'files, or folders that are searched' }],
  options: [
    { flags: '--check', about: 'change nothing; exit code 1 when a file is not in canonical form' },
    JSON_OPTION,
  ],
  examples: ['perdure fmt definitions', 'perdure fmt --check definitions/flows/fix.flow'],
  async run({ arguments: paths, options, terminal }) {
    const { openWorkspace } = await import('../session.js');
    const { formatPaths } = await import('../submit/format-files.js');
    await openWorkspace(terminal);
    const check = options.flag('check');
    const { files, changed, problems, sources } = formatPaths(paths, terminal.cwd, { write: !check });
    const sound = problems.length === 0;
    const ok = sound && !(check && changed.length > 0);
    if (files === 0)
      throw usageError(`There is nothing to format in ${paths.map((path) => `\`${path}\``).join(', ')}.`);
    if (options.flag('json')) printJson(terminal, { ok, problems, changed });
    else {
      print(terminal, ...changed);
      tell(
        terminal,
        sound || check
          ? `${changed.length} of ${files} file${files === 1 ? '' : 's'} ${check ? 'not in canonical form' : 'changed'}`
          : 'Nothing was written: all files that are named must be sound.',
      );
    }
    if (!sound && !options.flag('json')) {
      const { printProblems } = await import('../../compiler/problems/print-problems.js');
      tell(terminal, printProblems(problems, sources, { files, color: terminal.palette.colored }).trimEnd());
    }
    if (!sound) return EXIT.usage;
    return ok ? EXIT.success : EXIT.ended;
  },
};
