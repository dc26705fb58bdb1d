import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';

export const importCommand: CommandSpec = {
  name: 'import',
  summary: 'write definitions from the workflows of other tools, and tell what is lost',
  arguments: [{ syntax: '<path>', about: 'a file, or a folder that is searched' }],
  options: [
    { flags: '--to <folder>', about: 'where `workflows/` and `agents/` are written; definitions by default' },
    { flags: '--dry-run', about: 'say what would happen, and write nothing' },
    { flags: '--overwrite', about: 'write files anew that are there already' },
    { flags: '--partial', about: 'import what can be, although something else is refused' },
    { flags: '--strict', about: 'end with 1 when something was lost that changes behaviour' },
    JSON_OPTION,
  ],
  examples: ['perdure import .archon/workflows --dry-run', 'perdure import .archon/workflows/fix-issue.yaml'],
  async run({ arguments: [path = ''], options, terminal }) {
    const { openWorkspace } = await import('../session.js');
    await openWorkspace(terminal);
    const { tellImport } = await import('../import/tell-import.js');
    return tellImport(
      {
        path,
        to: options.text('to'),
        dryRun: options.flag('dry-run'),
        overwrite: options.flag('overwrite'),
        partial: options.flag('partial'),
      },
      { strict: options.flag('strict'), json: options.flag('json'), terminal },
    );
  },
};
