import { realpath } from 'node:fs/promises';
import { isAbsolute, posix, relative, resolve } from 'node:path';
import { z } from 'zod';
import { judgeAction } from '../../../plan/tools/permission.js';
import { needsNetwork } from '../../../plan/tools/command-rule.js';
import { builtin, failed, ok } from '../handler/builtin.js';
import { workspacePath } from '../files/path.js';
import type { ToolContext, ToolRun } from '../handler/handler.js';
import { runProgram } from './program.js';

const DEFAULT_S = 120;
const LONGEST_S = 600;

const input = z.strictObject({
  argv: z
    .array(z.string().max(32_768))
    .min(1)
    .max(256)
    .describe('The program and its arguments, one item each: ["grep", "-rn", "word", "src"].'),
  cwd: z
    .string()
    .optional()
    .describe("The folder it runs in, from the workspace's root; the root itself when left out."),
  stdin: z
    .string()
    .max(1024 * 1024)
    .optional()
    .describe('What it reads.'),
  timeout_s: z.int().min(1).max(LONGEST_S).optional().describe(`Seconds that it may take; ${DEFAULT_S} when left out.`),
});

export const shell = builtin({
  description:
    'Runs a program in the workspace. No shell stands between: no pipes, no redirections, no `&&`, no globs; ' +
    'call it once for each program. Programs that are not known, and the network, are denied.',
  input,
  parallel: false,
  quick: false,
  effect: 'workspace',
  action: ({ argv, cwd = '.' }, workspace) => ({
    kind: 'command',
    argv: argv.map((word, index) => (index === 0 ? word : insideOf(word, workspace))),
    cwd: workspacePath(cwd, workspace),
  }),
  run: runShell,
});

/** A path of the workspace is shown, judged and passed on from its root. */
function insideOf(word: string, workspace: string): string {
  return word === workspace || word.startsWith(`${workspace}/`) ? workspacePath(word, workspace) : word;
}

async function runShell(
  { argv: written, cwd = '.', stdin, timeout_s: seconds = DEFAULT_S }: z.infer<typeof input>,
  context: ToolContext,
): Promise<ToolRun> {
  const { permissions } = context;
  const place = workspacePath(cwd, context.workspace);
  const argv = written.map((word, index) =>
    index === 0 ? word : fromFolder(insideOf(word, context.workspace), word, place),
  );
  const verdict = judgeAction(permissions, {
    kind: 'command',
    argv: written.map((word, index) => (index === 0 ? word : insideOf(word, context.workspace))),
    cwd: place,
  });
  if (verdict.verdict === 'deny' && context.allowed !== true) return failed(verdict.reason);
  const workspace = await realpath(context.workspace);
  const folder = await realpath(resolve(workspace, place)).catch(() => null);
  const inside = folder === null ? '..' : relative(workspace, folder);
  if (folder === null || inside.startsWith('..') || isAbsolute(inside))
    return failed(`There is no folder \`${cwd}\` in the workspace.`);
  const end = await runProgram(
    {
      argv,
      cwd: folder,
      stdin: stdin ?? null,
      timeoutMs: seconds * 1000,
      network: needsNetwork(permissions, argv),
      // What a person approved is not plainly allowed: only the sandbox may run it.
      sandbox: verdict.verdict === 'allow' ? verdict.sandbox : true,
    },
    { ...context, workspace },
  );
  return 'failure' in end ? failed(end.failure) : ok(end.output);
}

/** A path from the root as the program sees it from the folder that it runs in. */
function fromFolder(path: string, written: string, cwd: string): string {
  return path === written ? written : posix.relative(cwd, path) || '.';
}
