import type { CommandSpec, Invocation } from '../command.js';
import { AS_OPTION, GATE_OPTIONS, JSON_OPTION, STAY_OPTIONS, TASK_QUEUE_OPTION, gatesAs } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { usageError } from '../exit-codes.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import { actingName } from '../terminal.js';
import { validate } from './validate.js';

const FOLDERS = ['definitions/tools', '.glee/tools'];

export const tools: CommandSpec = {
  name: 'tools',
  summary: 'list the tools that may be named here, call one, find the problems of files `tool.yml`',
  arguments: [
    { syntax: '<action>', about: 'what to do', choices: ['list', 'call', 'lint'] },
    {
      syntax: '[names...]',
      about:
        'call: the tool; lint: files, or folders that are searched, definitions/tools and .glee/tools when left out',
    },
  ],
  options: [
    { flags: '--servers', about: 'list: ask the MCP servers of perdure.yml for their tools' },
    {
      flags: '-i, --input <name=value>',
      about: 'call: what the tool is given; may be given several times',
      many: true,
    },
    { flags: '--inputs <file>', about: 'call: the same from a JSON or YAML file' },
    ...STAY_OPTIONS,
    ...GATE_OPTIONS,
    TASK_QUEUE_OPTION,
    AS_OPTION,
    JSON_OPTION,
  ],
  examples: [
    'perdure tools list',
    'perdure tools call word-count -i text="one two"',
    'perdure tools lint definitions/tools/word-count/tool.yml',
  ],
  async run(invocation) {
    const [action, ...named] = invocation.arguments;
    switch (action) {
      case 'call':
        return callCommand(named, invocation);
      case 'lint':
        return lintCommand(named, invocation);
      default:
        if (named.length > 0) throw usageError('`tools list` takes no names.');
        return (await import('../tools/tell-tools.js')).tellTools(invocation);
    }
  },
};

async function lintCommand(named: string[], invocation: Invocation): Promise<ExitCode> {
  if (named.includes(''))
    throw usageError(
      'Expected `tools lint` to be given files or folders, got an empty text.',
      `Without any it looks at ${FOLDERS.map((folder) => `\`${folder}\``).join(' and ')}.`,
    );
  const { existsSync } = await import('node:fs');
  const path = await import('node:path');
  const paths =
    named.length > 0 ? named : FOLDERS.filter((folder) => existsSync(path.resolve(invocation.terminal.cwd, folder)));
  if (paths.length === 0)
    throw usageError(
      `Expected tools in ${FOLDERS.map((folder) => `\`${folder}\``).join(' or ')}, got neither folder.`,
      'Name the files to look at.',
    );
  return validate.run({ ...invocation, arguments: paths });
}

async function callCommand([name, ...more]: string[], { options, terminal }: Invocation): Promise<ExitCode> {
  if (name === undefined || more.length > 0)
    throw usageError(
      'Expected the name of one tool.',
      '`perdure tools list` has them all; what it is given comes with `-i name=value`.',
    );
  const { callTool } = await import('../tools/call-tool.js');
  const command = {
    definition: name,
    request: undefined,
    pairs: options.list('input'),
    inputFile: options.text('inputs'),
    id: null,
    detach: options.flag('detach'),
    untilWaiting: !options.flag('wait'),
    rehearse: false,
    gates: gatesAs(options),
    limits: NO_BUDGETS,
    taskQueue: options.text('task-queue'),
    by: actingName(options.text('as')),
    json: options.flag('json'),
    narrate: false,
  };
  return callTool(name, command, terminal);
}
