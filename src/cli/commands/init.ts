import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { printJson, tell } from '../terminal.js';

export const init: CommandSpec = {
  name: 'init',
  summary: 'start a project here, also where there is one already',
  arguments: [],
  options: [JSON_OPTION],
  examples: ['perdure init && perdure run hello -i name=World'],
  async run({ options, terminal }) {
    const { openWorkspace } = await import('../session.js');
    const { initProject } = await import('../submit/init-project.js');
    // What is there is kept: it must be a project's.
    await openWorkspace(terminal);
    const { made, kept, found } = initProject(terminal.cwd);
    if (options.flag('json')) printJson(terminal, { made, kept, found });
    else {
      tell(
        terminal,
        ...made.map((file) => `  ${terminal.palette.tone('good', '+')} ${file}`),
        ...kept.map((file) => `  ${terminal.palette.tone('quiet', '=')} ${file} was there`),
      );
      if (found.length > 0) tell(terminal, `  Found ${found.join(', ')}: agents there can be used by name.`);
      tell(terminal, '', 'Try it:', '  perdure validate definitions', '  perdure run hello -i name=World');
    }
    return EXIT.success;
  },
};
