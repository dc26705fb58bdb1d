import { chmod, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hook } from '../../../plan/tools/hook.js';
import type { JsonObject } from '../../../plan/values/json.js';
import { sha256 } from '../../../store/hash.js';
import { readBytesFile } from '../../workspace/read.js';
import { FileRefusal } from '../../refusal.js';
import type { ToolContext } from '../handler/handler.js';
import type { Program, ProgramEnd } from '../shell/program.js';
import { runProgram } from '../shell/program.js';
import { makeTemporary } from '../../../store/folders/temporary.js';

/** What a file of a hook may hold at most: it was compiled into the Plan. */
const MOST_BYTES = 256 * 1024;

/**
 * Runs one hook in the sandbox, as its agent's commands are run, without a network. Its files must still be what was
 * approved, and while it runs it sees those and no others in their places.
 */
export async function runHook(hook: Hook, input: JsonObject, context: ToolContext): Promise<ProgramEnd> {
  const workspace = await realpath(context.workspace);
  const files = await Promise.all(
    Object.entries(hook.files ?? {}).map(async ([path, text]) => ({ path, text: await context.store.getText(text) })),
  );
  for (const { path, text } of files) {
    const fault = await faultOf(path, text, { ...context, workspace });
    if (fault !== null) return { failure: fault };
  }
  const command = await context.store.getText(hook.command);
  const folder = files.length === 0 ? null : await makeTemporary('hook');
  try {
    const shown: NonNullable<Program['shown']> = [];
    for (const [index, { path, text }] of files.entries()) {
      const from = join(folder ?? '', String(index));
      await writeFile(from, text, { flag: 'wx' });
      await chmod(from, 0o555);
      shown.push({ from, at: join(workspace, path) });
    }
    return await runProgram(
      {
        argv: ['bash', '-c', command],
        cwd: workspace,
        stdin: JSON.stringify(input),
        timeoutMs: hook.timeout_ms,
        network: false,
        sandbox: true,
        env: { CLAUDE_PROJECT_DIR: workspace },
        shown,
      },
      { ...context, workspace },
    );
  } finally {
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
}

/** Why a file of a hook is not what a person has approved; null where it is. */
async function faultOf(path: string, text: string, place: ToolContext): Promise<string | null> {
  const changed = `\`${path}\` has changed since the hook was approved.`;
  try {
    if ((await realpath(join(place.workspace, path))) !== join(place.workspace, path)) return changed;
    const bytes = await readBytesFile(place, path, MOST_BYTES);
    return sha256(bytes) === sha256(Buffer.from(text)) ? null : changed;
  } catch (error) {
    if (error instanceof FileRefusal || (error instanceof Error && 'code' in error)) return changed;
    throw error;
  }
}
