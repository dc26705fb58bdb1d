import { z } from 'zod';
import { openWorkspace } from '../../cli/session.js';
import { generatedLimits } from '../generated.js';
import { background, filled, jsonMap } from '../input.js';
import { startRun } from '../start-run.js';
import { defineTool } from '../tool.js';
import { findWorkflow } from './find-workflow.js';
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
    const workspace = await openWorkspace(connection.terminal);
    const { file, made } = findWorkflow(name, workspace, connection);
    const limits = made === null ? {} : { limits: generatedLimits(workspace.config) };
    return finish(await startRun({ definition: file, inputs, by, made, ...limits }, call), leave, call);
  },
});
