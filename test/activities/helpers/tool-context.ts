import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { handlerOf } from '../../../src/activities/tools/handlers.js';
import type { ToolContext, ToolRun } from '../../../src/activities/tools/handler/handler.js';
import { permissionsFrom } from '../../../src/compiler/agents/permissions.js';
import type { JsonObject } from '../../../src/plan/values/json.js';
import type { Permissions } from '../../../src/plan/tools/permission.js';
import { judgeAction } from '../../../src/plan/tools/permission.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import { openStore } from '../../../src/store/local-store.js';
import { temporaryFolder } from './harness.js';

/**
 * What tools run with, as the turn loop makes it: a workspace of its own, and the shipped permissions; `place` is a
 * folder that is there for all tests of a file.
 */
export async function toolContext(
  permissions: Partial<Permissions> = {},
  place?: string,
): Promise<ToolContext & { logged: string[] }> {
  const folder = await realpath(place ?? (await temporaryFolder()));
  const workspace = join(folder, 'ws');
  await mkdir(workspace);
  const logged: string[] = [];
  return {
    store: await openStore(join(folder, 'state')),
    workspace,
    signal: new AbortController().signal,
    log: {
      write: (_stream, text) => void logged.push(text),
      writeLast: (_stream, text) => void logged.push(text),
      close: async () => undefined,
    },
    progress: {},
    permissions: { ...permissionsFrom([], true), ...permissions },
    run: 'run',
    logged,
  };
}

/** Judges a call as the workflow does, and runs it when it is allowed: `denied` tells why it was not. */
export async function callTool(
  tool: Tool,
  args: JsonObject,
  context: ToolContext,
): Promise<ToolRun | { denied: string }> {
  const handler = handlerOf(tool);
  const action = await handler.action(tool, args, context.workspace);
  if ('invalid' in action) return { content: action.invalid, is_error: true };
  const verdict = judgeAction(context.permissions, action);
  return verdict.verdict === 'allow' ? handler.run(tool, args, context) : { denied: verdict.reason };
}
