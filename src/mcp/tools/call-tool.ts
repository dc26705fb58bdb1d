import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { openWorkspace } from '../../cli/session.js';
import type { JsonObject } from '../../plan/json.js';
import { McpRefusal } from '../errors.js';
import { generatedLimits } from '../generated.js';
import { background, filled, jsonMap } from '../input.js';
import { startRun } from '../start-run.js';
import { defineTool } from '../tool.js';
import { finish } from './finish.js';

export const callTool = defineTool({
  name: 'tool',
  title: 'Call a tool',
  description: 'Calls a tool of the project, one that comes with Perdure, or one that `tool_create` made, durably and by the permissions of the project. Gives what it gave.',
  input: z.strictObject({
    name: filled('Name of the tool.'),
    inputs: jsonMap('What it is called with, by name.').optional(),
    params: jsonMap('The same as `inputs`.').optional(),
    background,
  }),
  annotations: { destructiveHint: true, openWorldHint: true },
  async run({ name, inputs, params, background: leave }, call) {
    const { connection, by } = call;
    if (inputs !== undefined && params !== undefined) throw new McpRefusal('`inputs` and `params` of the tool `tool` say the same thing; give one of them.');
    const { project, config } = await openWorkspace(connection.terminal);
    const made = connection.made.find('tool', name) ?? null;
    const given = inputs ?? params ?? {};
    const written = { file: join(project.root, 'definitions', 'workflows', 'call-tool.yml'), text: callOf(name, given) };
    const limits = made === null ? {} : { limits: generatedLimits(config) };
    return finish(await startRun({ definition: written.file, inputs: { values: Object.values(given) }, by, made, written, ...limits }, connection), leave, call);
  },
});

/** A workflow of the one call. Values come as its input: as data, whatever is in them (I4). */
function callOf(tool: string, given: JsonObject): string {
  const inputs = Object.fromEntries(Object.keys(given).map((name, index) => [name, `\${values[${index}]}`]));
  const step = { id: 'call', tool, ...(Object.keys(inputs).length === 0 ? {} : { inputs }) };
  return stringify({ name: 'call-tool', inputs: { values: { type: 'list', default: [] } }, steps: [step] }, { lineWidth: 0 });
}
