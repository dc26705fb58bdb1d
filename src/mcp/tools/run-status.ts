import { z } from 'zod';
import { findRun } from '../../cli/observe/find-run.js';
import { runId } from '../input.js';
import { reportSteps } from '../report.js';
import { defineTool } from '../tool.js';

export const runStatus = defineTool({
  name: 'run_status',
  title: 'Look at a run',
  description:
    'Says how a run is now: its status, steps, cost, result, and what waits for a decision. Waits for nothing.',
  input: z.strictObject({ run: runId }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run({ run }, { connection }) {
    const session = await connection.session();
    const { view, link } = await findRun(run, session, { withPending: true });
    await link?.close();
    return reportSteps(view, connection);
  },
});
