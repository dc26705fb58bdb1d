import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { usageError } from '../exit-codes.js';

const TARGETS = ['claude', 'mermaid', 'archon'] as const;

export const exportCommand: CommandSpec = {
  name: 'export',
  summary: 'write a definition, or that of a run, for another tool, and say what is lost',
  arguments: [{ syntax: '<what>', about: 'a run, a definition file, or the name of a definition' }],
  options: [
    {
      flags: '--to <tool>',
      about: 'claude (its agents as files), mermaid (a graph) or archon (a workflow)',
      choices: TARGETS,
    },
    { flags: '--out <folder>', about: 'claude: where the files go; .claude/agents by default' },
    { flags: '--overwrite', about: 'claude: replace files that say something else' },
    JSON_OPTION,
  ],
  examples: [
    'perdure export review-7k2m4xqa --to claude',
    'perdure export definitions/workflows/hello.yml --to mermaid',
  ],
  async run({ arguments: [what = ''], options, terminal }) {
    const to = TARGETS.find((target) => target === options.text('to'));
    if (to === undefined)
      throw usageError('Expected `--to`, the tool that is written for.', 'It is `claude`, `mermaid` or `archon`.');
    const { exportDefinition } = await import('../export/export-definition.js');
    return exportDefinition(
      { what, to, out: options.text('out'), overwrite: options.flag('overwrite'), json: options.flag('json') },
      terminal,
    );
  },
};
