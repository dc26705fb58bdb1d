import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { builtin, failed, ok } from '../handler/builtin.js';
import { inFolderOf, replaceFile } from '../../workspace/open.js';
import { fromRoot, workspacePath } from './path.js';
import { TEXT_BYTES, readTextFile } from '../../workspace/read.js';

export const editFile = builtin({
  description: 'Replaces a text in a file of the workspace. The text must be there exactly once, unless `all` is true.',
  input: z.strictObject({
    path: z.string().min(1).describe("The file, from the workspace's root."),
    old_text: z.string().min(1).describe('What stands there now, letter for letter, without line numbers.'),
    new_text: z.string().describe('What shall stand there.'),
    all: z.boolean().optional().describe('Replace it everywhere.'),
  }),
  parallel: false,
  quick: true,
  effect: 'workspace',
  action: ({ path }, workspace, root) => ({ kind: 'write', path: workspacePath(path, workspace, root) }),
  run: async ({ path, old_text: before, new_text: after, all = false }, context) => {
    const { root } = context;
    const at = workspacePath(path, context.workspace, root);
    const shown = fromRoot(at, root);
    const { bytes } = await readTextFile(context, at);
    if (!isUtf8(bytes) && /[^\0-\x7f]/.test(before + after))
      return failed(`\`${shown}\` is no UTF-8: only ASCII is replaced there. Change it by a command.`);
    // By bytes: what is not replaced stays as it is, whatever it is.
    const pieces = bytes.toString('latin1').split(bytesOf(before));
    const count = pieces.length - 1;
    if (count === 0) return failed(`\`${shown}\` does not hold that text. Read it again: white space counts.`);
    if (count > 1 && !all)
      return failed(`\`${shown}\` holds that text ${count} times. Give more of what stands around it, or set \`all\`.`);
    const size = bytes.length + count * (Buffer.byteLength(after) - Buffer.byteLength(before));
    if (size > TEXT_BYTES)
      return failed(`\`${shown}\` would have ${size} bytes then; a text has at most ${TEXT_BYTES}.`);
    const edited = Buffer.from(pieces.join(bytesOf(after)), 'latin1');
    await inFolderOf(context.workspace, at, {}, (folder, name) => replaceFile(folder, name, edited));
    return ok(`Replaced ${count === 1 ? 'one place' : `${count} places`} in ${shown}.`);
  },
});

/** The bytes of a text as UTF-8, a character for each. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}
