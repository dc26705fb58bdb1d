import type { CommandSpec } from '../command.js';
import { EXIT, usageError } from '../exit-codes.js';
import { print, printJson } from '../terminal.js';

export const schema: CommandSpec = {
  name: 'schema',
  summary: 'print the JSON Schema of an authored format, for editors',
  arguments: [
    {
      syntax: '[kind]',
      about:
        'a format such as workflow, agent, chain, build, project, tool, device or config; without it, which there are',
    },
  ],
  options: [],
  examples: ['perdure schema workflow > schemas/workflow.json'],
  async run({ arguments: [kind], terminal }) {
    const { SCHEMA_KINDS, jsonSchemaOf } = await import('../../compiler/schemas.js');
    if (kind === undefined) {
      print(terminal, ...SCHEMA_KINDS);
      return EXIT.success;
    }
    const known = SCHEMA_KINDS.find((candidate) => candidate === kind);
    if (known === undefined)
      throw usageError(
        `There is no schema \`${kind}\`.`,
        `There are ${SCHEMA_KINDS.map((name) => `\`${name}\``).join(', ')}.`,
      );
    printJson(terminal, jsonSchemaOf(known));
    return EXIT.success;
  },
};
