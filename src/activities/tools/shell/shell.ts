import { realpath, stat } from 'node:fs/promises';
import { posix, resolve } from 'node:path';
import { z } from 'zod';
import type { Action } from '../../../plan/tools/action.js';
import { judgeAction } from '../../../plan/tools/permission.js';
import { needsNetwork } from '../../../plan/tools/command-rule.js';
import { isBelow } from '../../../store/folders/places.js';
import { builtin, failed, ok } from '../handler/builtin.js';
import { workspacePath } from '../files/path.js';
import type { ToolContext } from '../handler/handler.js';
import type { ProgramEnd } from './program.js';
import { runProgram } from './program.js';

/** Seconds that a program has where its call does not say it. */
export const DEFAULT_S = 120;
const LONGEST_S = 600;

/** What a tool that runs one program is called with. */
export const programInput = z.strictObject({
  argv: z
    .array(z.string().max(32_768))
    .min(1)
    .max(256)
    .describe('The program and its arguments, one item each: ["grep", "-rn", "word", "src"].'),
  cwd: z
    .string()
    .optional()
    .describe("The folder it runs in, from the workspace's root; the root itself when left out."),
  timeout_s: z.int().min(1).max(LONGEST_S).optional().describe(`Seconds that it may take; ${DEFAULT_S} when left out.`),
});

const input = programInput.extend({
  stdin: z
    .string()
    .max(1024 * 1024)
    .optional()
    .describe('What it reads.'),
});

export const shell = builtin({
  description:
    'Runs a program in the workspace. No shell stands between: no pipes, no redirections, no `&&`, no globs; ' +
    'call it once for each program. Programs that are not known, and the network, are denied.',
  input,
  parallel: false,
  quick: false,
  effect: 'workspace',
  action: programAction,
  run: async (given, context) => {
    const end = await runGiven(given, context);
    return 'failure' in end ? failed(end.failure) : ok(end.output);
  },
});

/** The command that a call stands for: what permissions judge, and people are shown. */
export function programAction(
  { argv, cwd = '.' }: Pick<z.infer<typeof programInput>, 'argv' | 'cwd'>,
  workspace: string,
  root?: string,
): Action {
  return {
    kind: 'command',
    argv: argv.map((word, index) => (index === 0 ? word : insideOf(word, workspace))),
    cwd: workspacePath(cwd, workspace, root),
  };
}

/** A path of the workspace is shown, judged and passed on from its root. */
function insideOf(word: string, workspace: string): string {
  return word === workspace || word.startsWith(`${workspace}/`) ? workspacePath(word, workspace) : word;
}

/** Runs the program of a call, as the permissions let it: in the sandbox, or what only reads without one. */
export async function runGiven(
  { argv: written, cwd = '.', stdin, timeout_s: seconds = DEFAULT_S }: z.infer<typeof input>,
  context: ToolContext,
): Promise<ProgramEnd> {
  const { permissions } = context;
  const place = workspacePath(cwd, context.workspace, context.root);
  const argv = written.map((word, index) =>
    index === 0 ? word : fromFolder(insideOf(word, context.workspace), word, place),
  );
  const verdict = judgeAction(permissions, {
    kind: 'command',
    argv: written.map((word, index) => (index === 0 ? word : insideOf(word, context.workspace))),
    cwd: place,
  });
  if (verdict.verdict === 'deny' && context.allowed !== true) return { failure: verdict.reason };
  const workspace = await realpath(context.workspace);
  const folder = await realpath(resolve(workspace, place)).catch(() => null);
  const found = folder === null ? null : await stat(folder).catch(() => null);
  if (folder === null || !isBelow(folder, workspace) || found?.isDirectory() !== true)
    return { failure: `There is no folder \`${cwd}\` in the workspace.` };
  return runProgram(
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
}

/** A path from the root as the program sees it from the folder that it runs in. */
function fromFolder(path: string, written: string, cwd: string): string {
  return path === written ? written : posix.relative(cwd, path) || '.';
}
