import { z } from 'zod';
import { SITE_FOLDERS } from '../../../plan/builds/site.js';
import type { Json } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import { readPlain } from '../../../store/read-plain.js';
import { inFolderOf } from '../../workspace/open.js';
import { siteFolder } from '../../workspace/site.js';
import { builtin, failed, ok } from '../handler/builtin.js';
import type { ToolContext } from '../handler/handler.js';
import { programInput, runGiven } from './shell.js';

const SCRIPT = ['npm', 'run', 'build'];
const MANIFEST_BYTES = 1024 * 1024;
/** What people are told of a build that failed: its end, where compilers name their errors. */
const TOLD_CHARACTERS = 4_000;

const input = z.strictObject({
  argv: programInput.shape.argv
    .optional()
    .describe('What builds it; `npm run build` where there is such a script when left out.'),
  page: z.boolean().optional().describe('Whether the result must be a page: a folder with `index.html`.'),
  timeout_s: programInput.shape.timeout_s,
});

export const buildProject = builtin({
  description:
    'Builds the project by its own command, and fails with what that said when it does. With `page` it also finds ' +
    `the folder to serve: the first of ${SITE_FOLDERS.join(', ')} that holds \`index.html\`.`,
  input,
  parallel: false,
  quick: false,
  effect: 'workspace',
  action: ({ argv = SCRIPT }) => ({ kind: 'command', argv, cwd: '.' }),
  run: async ({ argv, page = false, timeout_s: seconds }, context) => {
    const command = argv ?? ((await hasScript(context)) ? SCRIPT : null);
    const said = command === null ? '' : await runCommand(command, seconds, context);
    if (typeof said !== 'string') return failed(said.failure);
    const folder = page ? await siteFolder(context.workspace) : null;
    if (page && folder === null)
      return failed(`There is no page to serve: none of ${SITE_FOLDERS.join(', ')} holds \`index.html\`.`);
    return ok({ built: command !== null, folder, output: said });
  },
});

/** What the command wrote; what it says of its failure otherwise. */
async function runCommand(
  argv: string[],
  seconds: number | undefined,
  context: ToolContext,
): Promise<string | { failure: string }> {
  const ran = await runGiven({ argv, timeout_s: seconds }, context);
  if ('failure' in ran) return ran;
  const said = `${ran.output.stdout}\n${ran.output.stderr}`.trim();
  if (ran.output.exit_code === 0) return said;
  const end = said.length > TOLD_CHARACTERS ? `…${said.slice(-TOLD_CHARACTERS)}` : said;
  return { failure: `\`${argv.join(' ')}\` ended with exit code ${ran.output.exit_code}:\n${end}` };
}

/** Tells whether `package.json` has a script `build`. */
async function hasScript({ workspace }: ToolContext): Promise<boolean> {
  const text = await inFolderOf(workspace, 'package.json', {}, (folder, name) =>
    readPlain(folder.at(name), MANIFEST_BYTES),
  ).catch(() => null);
  try {
    const manifest = JSON.parse(text?.toString('utf8') ?? '') as Json; // `JSON.parse` makes nothing else
    return isObject(manifest) && isObject(manifest['scripts'] ?? null) && 'build' in (manifest['scripts'] as object);
  } catch {
    return false;
  }
}
