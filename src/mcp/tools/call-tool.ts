import { z } from 'zod';
import { openWorkspace } from '../../cli/session.js';
import { callOf } from '../../cli/tools/call-text.js';
import { McpRefusal } from '../errors.js';
import { generatedLimits } from '../generated.js';
import { background, filled, jsonMap } from '../input.js';
import { startRun } from '../start-run.js';
import { defineTool } from '../tool.js';
import { finish } from './finish.js';

export const callTool = defineTool({
  name: 'tool',
  title: 'Call a tool',
  description:
    'Calls a tool of the project, one that comes with Perdure, or one that `tool_create` made, durably and by ' +
    'the permissions of the project. Gives what it gave.',
  input: z.strictObject({
    name: filled('Name of the tool.'),
    inputs: jsonMap('What it is called with, by name.').optional(),
    params: jsonMap('The same as `inputs`.').optional(),
    background,
  }),
  annotations: { destructiveHint: true, openWorldHint: true },
  async run({ name, inputs, params, background: leave }, call) {
    const { connection, by } = call;
    if (inputs !== undefined && params !== undefined)
      throw new McpRefusal('`inputs` and `params` of the tool `tool` say the same thing; give one of them.');
    const { project, config } = await openWorkspace(connection.terminal);
    const made = connection.made.find('tool', name) ?? null;
    const given = inputs ?? params ?? {};
    const written = callOf(name, Object.keys(given), project.root);
    const limits = made === null ? {} : { limits: generatedLimits(config) };
    return finish(
      await startRun(
        { definition: written.file, inputs: { values: Object.values(given) }, by, made, written, ...limits },
        call,
      ),
      leave,
      call,
    );
  },
});
