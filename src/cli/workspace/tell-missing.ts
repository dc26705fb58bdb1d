import { cutTo } from '../../plan/text/cut-to.js';
import type { MissingFiles } from '../../store/snapshots/snapshots.js';
import { safeName } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';

/** Tells of which files nobody knows whether they have changed: what is shown, or written, has none of them. */
export function tellMissing({ unnamed, unread, inside = [], hiding = [] }: MissingFiles, terminal: Terminal): void {
  if (inside.length > 0) tell(terminal, `Without the files of ${named(inside)}: git of its own.`);
  if (hiding.length > 0) tell(terminal, `Without what ${named(hiding)} has git ignore, itself too: look there.`);
  if (unnamed.length > 0) tell(terminal, `Without ${named(unnamed)}: names that are no UTF-8.`);
  if (unread.length > 0) tell(terminal, `Without ${named(unread)}: it may not be read, or has too long a path.`);
}

/** Paths as people may read them, each once. */
export function named(paths: string[]): string {
  return [...new Set(paths)].map((path) => `\`${cutTo(safeName(path), 200)}\``).join(', ');
}
