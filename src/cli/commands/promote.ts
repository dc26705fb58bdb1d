import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';

const KINDS = ['agent', 'workflow', 'tool'] as const;

export const promote: CommandSpec = {
  name: 'promote',
  summary: 'write what was made in a run, and approved, to the definitions of the project',
  arguments: [{ syntax: '<address>', about: 'RUN/NAME: the run, and what it made; RUN alone lists that' }],
  options: [
    {
      flags: '--kind <kind>',
      about: 'agent, workflow or tool, where one name is that of several',
      choices: [...KINDS],
    },
    { flags: '--to <folder>', about: 'a folder of the project; definitions/agents and so on by default' },
    { flags: '--rename <name>', about: 'save it under another name', conflicts: 'overwrite' },
    { flags: '--overwrite', about: 'replace what has that name', conflicts: 'skip' },
    { flags: '--skip', about: 'leave what has that name as it is', conflicts: 'rename' },
    JSON_OPTION,
  ],
  examples: ['perdure promote slides-7k2m4xqa', 'perdure promote slides-7k2m4xqa/judge'],
  async run({ arguments: [address = ''], options, terminal }) {
    const { tellPromoted } = await import('../agents/tell-promoted.js');
    const to = options.text('rename');
    const word = options.flag('overwrite') ? 'overwrite' : options.flag('skip') ? 'skip' : 'ask';
    return tellPromoted(
      {
        address,
        kind: KINDS.find((kind) => kind === options.text('kind')) ?? null,
        to: options.text('to'),
        conflict: to !== null ? { do: 'rename', to } : { do: word },
        json: options.flag('json'),
      },
      terminal,
    );
  },
};
