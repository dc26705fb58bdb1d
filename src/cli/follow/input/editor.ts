import { isUtf8 } from 'node:buffer';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../../../plan/values/json.js';
import { toText } from '../../../plan/values/json.js';
import { refusal } from '../../exit-codes.js';
import type { Terminal } from '../../terminal.js';
import { toContent } from './answer-value.js';
import { runForPerson } from './person-program.js';
import { makeTemporary } from '../../../store/folders/temporary.js';

/** The person's editor as a command, or none. */
function editorOf({ env }: Terminal): string[] {
  return (env['VISUAL'] ?? env['EDITOR'] ?? '').split(' ').filter((word) => word !== '');
}

/** Tells whether content can be edited on this terminal. */
export function hasEditor(terminal: Terminal): boolean {
  return editorOf(terminal).length > 0;
}

/** Opens content in `$VISUAL` or `$EDITOR`. Gives what was saved; throws a refusal where that is not possible. */
export async function editContent(
  content: Json,
  isText: boolean,
  terminal: Terminal,
): Promise<{ value: Json; text: string }> {
  const [program = '', ...args] = editorOf(terminal);
  const folder = await makeTemporary('edit');
  try {
    const file = join(folder, isText ? 'content.txt' : 'content.json');
    await writeFile(file, `${toText(content)}\n`, { mode: 0o600 });
    if (!(await runForPerson([program, ...args, file], terminal)))
      throw refusal(`The editor \`${program}\` did not end well: nothing was changed.`);
    const saved = await readFile(file);
    if (!isUtf8(saved)) throw refusal('Expected the edited content to be UTF-8 text.');
    const value = toContent(saved.toString('utf8'), isText, 'the edited content');
    return { value, text: toText(value) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
