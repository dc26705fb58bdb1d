import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Terminal } from '../../terminal.js';
import { tell } from '../../terminal.js';
import { runForPerson } from './person-program.js';
import { makeTemporary } from '../../../store/folders/temporary.js';

/**
 * Opens a text that people are to read in `$PAGER`; without one, or when it cannot be started, prints all of it. The
 * text is safe already.
 */
export async function openInPager(text: string, terminal: Terminal): Promise<void> {
  const [program, ...args] = (terminal.env['PAGER'] ?? '').split(' ').filter((word) => word !== '');
  if (program === undefined || !(await runPager(program, args, text, terminal))) tell(terminal, text);
}

async function runPager(program: string, args: string[], text: string, terminal: Terminal): Promise<boolean> {
  const folder = await makeTemporary('gate');
  try {
    const file = join(folder, 'content.txt');
    await writeFile(file, text, { mode: 0o600 });
    // LESS could make the pager pass control sequences on.
    return await runForPerson([program, ...args, file], terminal, { LESS: '' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
