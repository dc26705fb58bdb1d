import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../plan/values/json.js';
import { reportRun } from '../report.js';
import type { Started } from '../start-run.js';
import type { ToolCall } from '../tool.js';
import { waitForRun } from '../wait-for-run.js';

/**
 * The handle of a run at once, or what became of it within the time that this connection waits; `more` stands beside.
 * Where it has not begun, what a person is asked before.
 */
export async function finish(
  started: Started,
  background: boolean,
  { connection, signal, progress }: ToolCall,
  more: JsonObject = {},
): Promise<JsonObject | InputRequiredResult> {
  if (started.kind === 'ask') return started.question;
  const { run } = started;
  if (background) {
    const next = `It goes on by itself; wait for it with \`run_wait\` and run \`${run}\`.`;
    return { run, status: 'running', next, ...more };
  }
  const session = await connection.session();
  progress(`started ${run}`);
  const view = await waitForRun({ run, session, waitMs: connection.waitMs, signal, progress });
  return { ...(await reportRun(view, connection)), ...more };
}
