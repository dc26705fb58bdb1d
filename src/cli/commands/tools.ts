import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { usageError } from '../exit-codes.js';
import { validate } from './validate.js';

const FOLDERS = ['definitions/tools', '.glee/tools'];

export const tools: CommandSpec = {
  name: 'tools',
  summary: 'find the problems of tools: files `tool.yml`',
  arguments: [
    { syntax: '<action>', about: 'what to do', choices: ['lint'] },
    { syntax: '[path...]', about: 'files, or folders that are searched; definitions/tools and .glee/tools when left out' },
  ],
  options: [JSON_OPTION],
  examples: ['perdure tools lint', 'perdure tools lint definitions/tools/word-count/tool.yml'],
  async run(invocation) {
    const { existsSync } = await import('node:fs');
    const path = await import('node:path');
    const [, ...named] = invocation.arguments;
    const paths = named.length > 0 ? named : FOLDERS.filter((folder) => existsSync(path.resolve(invocation.terminal.cwd, folder)));
    if (paths.length === 0) throw usageError(`Expected tools in ${FOLDERS.map((folder) => `\`${folder}\``).join(' or ')}, got neither folder.`, 'Name the files to look at.');
    return validate.run({ ...invocation, arguments: paths });
  },
};
