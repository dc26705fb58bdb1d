import type { JsonObject } from '../../plan/values/json.js';
import { reportRun } from '../report.js';
import type { ToolCall } from '../tool.js';
import { waitForRun } from '../wait-for-run.js';

/** The handle of a run at once, or what became of it within the time that this connection waits. */
export async function finish(
  run: string,
  background: boolean,
  { connection, signal, progress }: ToolCall,
): Promise<JsonObject> {
  if (background)
    return { run, status: 'running', next: `It goes on by itself; wait for it with \`run_wait\` and run \`${run}\`.` };
  const session = await connection.session();
  progress(`started ${run}`);
  return reportRun(await waitForRun({ run, session, waitMs: connection.waitMs, signal, progress }), connection);
}
