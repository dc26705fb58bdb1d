import { shellCommand } from '../../plan/text/shell-command.js';
import type { CommandSpec, Options } from '../command.js';
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
    requireOwnOptions(what, to, options);
    const { exportDefinition } = await import('../export/export-definition.js');
    return exportDefinition(
      { what, to, out: options.text('out'), overwrite: options.flag('overwrite'), json: options.flag('json') },
      terminal,
    );
  },
};

/** Throws a usage error for an option about files where none is written. */
function requireOwnOptions(what: string, to: (typeof TARGETS)[number], options: Options): void {
  const given = options.text('out') !== null ? '--out' : options.flag('overwrite') ? '--overwrite' : null;
  if (to === 'claude' || given === null) return;
  throw usageError(
    `\`${given}\` goes with \`--to claude\` alone: what is written for ${to} goes to standard output.`,
    `Send it to a file: ${shellCommand('perdure export', [what])} --to ${to} > FILE`,
  );
}
