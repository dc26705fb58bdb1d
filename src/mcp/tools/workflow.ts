import { join } from 'node:path';
import { z } from 'zod';
import { createResolver } from '../../compiler/project/resolve.js';
import { openWorkspace } from '../../cli/session.js';
import { McpRefusal } from '../errors.js';
import { generatedLimits } from '../generated.js';
import { background, filled, jsonMap } from '../input.js';
import { startRun } from '../start-run.js';
import { defineTool } from '../tool.js';
import { finish } from './finish.js';

export const workflow = defineTool({
  name: 'workflow',
  title: 'Run a workflow',
  description:
    'Runs a named workflow of the project, or one that `workflow_create` made, durably. Gives its result; a ' +
    'long one gives a handle for `run_wait`.',
  input: z.strictObject({
    name: filled('Name of the workflow.'),
    inputs: jsonMap('Its inputs by name.').optional(),
    background,
  }),
  annotations: { destructiveHint: true, openWorldHint: true },
  async run({ name, inputs = {}, background: leave }, call) {
    const { connection, by } = call;
    const { project, config } = await openWorkspace(connection.terminal);
    const made = connection.made.find('workflow', name) ?? null;
    if (made !== null)
      return finish(
        await startRun({ definition: made.file, inputs, by, made, limits: generatedLimits(config) }, connection),
        leave,
        call,
      );
    const found = createResolver(project).workflow(name, join(project.root, 'any'));
    if ('missing' in found)
      throw new McpRefusal(found.suggestion === null ? found.missing : `${found.missing} ${found.suggestion}`);
    return finish(await startRun({ definition: found.entry.file, inputs, by, made }, connection), leave, call);
  },
});
