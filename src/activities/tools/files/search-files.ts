import { z } from 'zod';
import { builtin, failed, ok } from '../handler/builtin.js';
import { TOO_MANY_PATTERNS, fileMatcher, filePattern } from './glob.js';
import type { Folder } from '../../workspace/open.js';
import { fromRoot, workspacePath } from './path.js';
import { readIn } from '../../workspace/read.js';
import { FileRefusal } from '../../refusal.js';
import { createSearch } from './search.js';
import { NOT_ALL, passedOver, walk } from './walk.js';

const MOST_LINES = 200;
const LINE_CHARACTERS = 300;
/** What one search reads of all files together. */
const MOST_BYTES = 256 * 1024 * 1024;
const TOO_MUCH = `[${MOST_BYTES / 1024 / 1024} MiB were read, and not all of the files; narrow the search]`;

export const searchFiles = builtin({
  description:
    `Searches the texts of the workspace for a regular expression of JavaScript, line by line; gives at most ` +
    `${MOST_LINES} lines as path:line: text.`,
  input: z.strictObject({
    pattern: z.string().min(1).max(1_000).describe('The regular expression.'),
    path: z
      .string()
      .optional()
      .describe("The folder to search, from the workspace's root; the root itself when left out."),
    files: filePattern.optional().describe('Only in files that match, such as `*.ts`.'),
    ignore_case: z.boolean().optional(),
  }),
  parallel: true,
  quick: true,
  effect: 'none',
  action: ({ path = '.' }, workspace, root) => ({ kind: 'read', path: workspacePath(path, workspace, root) }),
  run: async ({ pattern, path = '.', files, ignore_case: ignoreCase = false }, context) => {
    const search = createSearch(pattern, ignoreCase);
    if ('invalid' in search) return failed(search.invalid);
    const matches = files === undefined ? () => true : fileMatcher(files);
    if (matches === null) return failed(TOO_MANY_PATTERNS);
    const folder = workspacePath(path, context.workspace, context.root);
    const lines: string[] = [];
    const states: string[] = [];
    let slow = false;
    let bytes = 0;
    let tooMuch = false;
    const how = { below: true, onState: (at: string) => states.push(fromRoot(at, context.root)) };
    const whole = await walk(context, folder, how, async ({ path: at, kind, folder: holder, name }) => {
      if (kind !== 'file' || !matches(folder === '.' ? at : at.slice(folder.length + 1))) return 'go on';
      if (bytes > MOST_BYTES) {
        tooMuch = true;
        return 'stop';
      }
      const text = await textIn(holder, name, at, (read) => (bytes += read));
      const found = text === null ? [] : search.find(text);
      if (found === 'slow') {
        slow = true;
        return 'stop';
      }
      for (const { number, line } of found) lines.push(`${fromRoot(at, context.root)}:${number}: ${cutLine(line)}`);
      return lines.length > MOST_LINES ? 'stop' : 'go on';
    });
    if (slow)
      return failed('The expression takes too long. Write it without nested repetitions, or search fewer files.');
    const more = lines.length > MOST_LINES;
    const shown = lines.length === 0 ? ['[no line matches]'] : lines.slice(0, MOST_LINES);
    if (more) shown.push('[more lines match; narrow the search]');
    else if (tooMuch) shown.push(TOO_MUCH);
    else if (!whole) shown.push(NOT_ALL);
    shown.push(...passedOver(states));
    return ok(shown.join('\n'));
  },
});

function cutLine(line: string): string {
  return line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}…` : line;
}

/** A file's text; null where it is none, or may not be read. */
async function textIn(
  folder: Folder,
  name: string,
  path: string,
  onRead: (bytes: number) => void,
): Promise<string | null> {
  try {
    return (await readIn(folder, name, path, onRead)).text;
  } catch (error) {
    if (error instanceof FileRefusal) return null;
    throw error;
  }
}
