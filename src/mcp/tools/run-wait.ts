import { z } from 'zod';
import { runId } from '../input.js';
import { reportRun } from '../report.js';
import { defineTool } from '../tool.js';
import { waitForRun } from '../wait-for-run.js';

export const runWait = defineTool({
  name: 'run_wait',
  title: 'Wait for a run',
  description:
    'Waits until a run has ended or needs a decision, and gives its result; after the time it gives it as it ' +
    'is, to be waited for again.',
  input: z.strictObject({
    run: runId,
    timeout_s: z
      .number({ error: 'a number of seconds' })
      .positive({ error: 'a number of seconds above 0' })
      .max(3_600, { error: 'at most 3600 seconds' })
      .optional()
      .describe('How long to wait, in seconds; 50 when left out.'),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run({ run, timeout_s: seconds }, { connection, signal, progress }) {
    const session = await connection.session();
    const waitMs = seconds === undefined ? connection.waitMs : seconds * 1_000;
    return reportRun(await waitForRun({ run, session, waitMs, signal, progress }), connection);
  },
});
