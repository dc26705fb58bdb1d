import type { CommandSpec, Invocation } from '../command.js';
import { JSON_OPTION, checkWords } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { usageError } from '../exit-codes.js';

const ACTIONS = ['list', 'show', 'create', 'import', 'promote'] as const;
const TOOLS = ['claude', 'gemini', 'codex'] as const;

export const agents: CommandSpec = {
  name: 'agents',
  summary: 'list, show and write agents that may be named here, import those of other tools, keep temporary ones',
  arguments: [
    { syntax: '<action>', about: 'what to do', choices: [...ACTIONS] },
    { syntax: '[name]', about: 'the agent to show, to write or to promote' },
    { syntax: '[instructions]', about: 'create: what it is told to be; `-` reads it from stdin' },
  ],
  options: [
    { flags: '--description <text>', about: 'create: what it is good for', free: true },
    { flags: '--model <model>', about: 'create: an alias, a full id, or provider:model' },
    { flags: '--tools <names>', about: 'create: tools by name, with commas between', free: true },
    { flags: '--toolsets <names>', about: 'create: sets of tools by name, with commas between' },
    { flags: '--program <program>', about: 'create: the program that plays it', choices: TOOLS, conflicts: 'toolsets' },
    { flags: '--from <tool>', about: 'import: the tool whose agents are read', choices: TOOLS },
    { flags: '--file <file>', about: "import: one file; all of the tool's folder by default" },
    { flags: '--to <folder>', about: 'import: where to; definitions/agents by default' },
    { flags: '--update', about: 'import: write those anew whose source has changed' },
    { flags: '--dry-run', about: 'import: say what would happen, and write nothing' },
    {
      flags: '--allow-hooks <hashes>',
      about: 'import: hooks that you have read, by hashes with commas between',
      conflicts: 'without-hooks',
    },
    { flags: '--without-hooks', about: 'import: leave hooks out' },
    { flags: '--strict', about: 'import: end with 1 when something was lost that changes behaviour' },
    { flags: '--run <run>', about: 'promote: the run that used the temporary agents' },
    { flags: '--rename <name>', about: 'promote: save it under another name', conflicts: 'overwrite' },
    { flags: '--overwrite', about: 'promote: replace an agent of that name', conflicts: 'skip' },
    { flags: '--skip', about: 'promote: leave an agent of that name as it is', conflicts: 'rename' },
    { flags: '--edit', about: 'promote: open it in $VISUAL or $EDITOR first' },
    { flags: '--recommended', about: 'promote: all that look reusable, without asking' },
    JSON_OPTION,
  ],
  examples: [
    'perdure agents list',
    'perdure agents create summarizer "You summarize texts in three sentences." --tools read_file',
    'perdure agents import --from claude --dry-run',
    'perdure agents show code-reviewer',
    'perdure agents promote security-scanner --run security-fix-7k2m4xqa',
  ],
  async run(invocation) {
    const {
      arguments: [action, name, instructions],
    } = invocation;
    checkWords('agents', invocation.arguments, { list: 0, show: 1, import: 0, promote: 1 });
    switch (action) {
      case 'create':
        if (name === undefined)
          throw usageError('Expected the name of the agent.', '`perdure agents create NAME "You …"`.');
        return (await import('../agents/create-agent.js')).createAgent(name, instructions, invocation);
      case 'import':
        return importCommand(invocation);
      case 'promote':
        return promoteCommand(invocation);
      case 'show':
        if (name === undefined)
          throw usageError('Expected the name of an agent.', '`perdure agents list` has them all.');
        return (await import('../agents/tell-agents.js')).tellAgent(name, invocation);
      default:
        return (await import('../agents/tell-agents.js')).tellAgents(invocation);
    }
  },
};

async function importCommand({ options, terminal }: Invocation): Promise<ExitCode> {
  const from = TOOLS.find((tool) => tool === options.text('from'));
  if (from === undefined)
    throw usageError(
      'Expected `--from`, the tool whose agents are read.',
      `It is one of ${TOOLS.map((tool) => `\`${tool}\``).join(', ')}.`,
    );
  const { tellImports } = await import('../agents/tell-imports.js');
  return tellImports(
    {
      from,
      file: options.text('file'),
      to: options.text('to'),
      update: options.flag('update'),
      dryRun: options.flag('dry-run'),
      allowHooks: options.flag('without-hooks') ? null : (options.text('allow-hooks') ?? '').split(',').filter(Boolean),
    },
    { strict: options.flag('strict'), json: options.flag('json'), terminal },
  );
}

async function promoteCommand({ arguments: [, name], options, terminal }: Invocation): Promise<ExitCode> {
  const run = options.text('run');
  if (run === null)
    throw usageError('Expected `--run`, the run that used the temporary agents.', '`perdure list` shows the runs.');
  const to = options.text('rename');
  if (to !== null && name === undefined) throw usageError('`--rename` wants the name of one agent before it.');
  const conflict =
    to !== null
      ? { do: 'rename' as const, to }
      : {
          do: options.flag('overwrite')
            ? ('overwrite' as const)
            : options.flag('skip')
              ? ('skip' as const)
              : ('ask' as const),
        };
  const { tellPromotion } = await import('../agents/tell-promotion.js');
  return tellPromotion(
    {
      run,
      name: name ?? null,
      conflict,
      edit: options.flag('edit'),
      recommended: options.flag('recommended'),
      json: options.flag('json'),
    },
    terminal,
  );
}
