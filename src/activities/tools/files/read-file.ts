import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { builtin, ok } from '../handler/builtin.js';
import { readTextFile } from '../../workspace/read.js';
import { workspacePath } from './path.js';

/** Of one call; more is read with `offset`. */
const LINES = 2_000;
const BYTES = 100 * 1024;
const LINE_CHARACTERS = 2_000;
/** Who writes such a text as it was shown destroys it. */
const NO_UTF8 =
  '\n[the file is no UTF-8: what cannot be shown stands as \ufffd; change it by `edit_file` or a command]';

export const readFile = builtin({
  description:
    `Reads a text file of the workspace: lines with their numbers, at most ${LINES} of them. Paths are from the ` +
    `workspace's root.`,
  input: z.strictObject({
    path: z.string().min(1).describe("The file, from the workspace's root."),
    offset: z.int().min(1).optional().describe('The first line to read, from 1.'),
    limit: z.int().min(1).max(LINES).optional().describe('How many lines to read.'),
  }),
  parallel: true,
  quick: true,
  effect: 'none',
  action: ({ path }, workspace, root) => ({ kind: 'read', path: workspacePath(path, workspace, root) }),
  run: async ({ path, offset = 1, limit = LINES }, context) => {
    const { text, bytes } = await readTextFile(context, workspacePath(path, context.workspace, context.root));
    return ok(`${numbered(text, offset, limit)}${isUtf8(bytes) ? '' : NO_UTF8}`);
  },
});

function cutLine(line: string): string {
  return line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}… [${line.length} characters]` : line;
}

function numbered(text: string, offset: number, limit: number): string {
  if (text === '') return '[the file is empty]';
  const lines = text.replace(/\n$/, '').split('\n');
  const shown: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const entry = `${offset + shown.length}\t${cutLine(line)}`;
    bytes += Buffer.byteLength(entry) + 1;
    if (bytes > BYTES && shown.length > 0) break;
    shown.push(entry);
  }
  const next = offset + shown.length;
  if (shown.length === 0) return `[the file has ${lines.length} lines]`;
  return next <= lines.length
    ? `${shown.join('\n')}\n[${lines.length} lines in all; read on with offset ${next}]`
    : shown.join('\n');
}
