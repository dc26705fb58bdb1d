import type { Palette, Tone } from '../text/colors.js';
import { safeName } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import type { Change } from './compare.js';
import { changesOf, findSnapshots } from './compare.js';

const LETTERS: Record<Change['change'], [letter: string, tone: Tone]> = {
  added: ['A', 'good'],
  modified: ['M', 'attention'],
  deleted: ['D', 'bad'],
};

/** `workspace show`: which files have changed since the run started, a line each. */
export async function showChanges(run: string, json: boolean, terminal: Terminal): Promise<void> {
  const snapshots = await findSnapshots(run, terminal);
  const changes = await changesOf(snapshots);
  if (json) return printJson(terminal, changes);
  const span = snapshots.isClosed ? `while \`${snapshots.run}\` ran` : `since \`${snapshots.run}\` started`;
  tell(terminal, `${String(changes.length)} ${changes.length === 1 ? 'file has' : 'files have'} changed ${span}.`);
  for (const change of changes) print(terminal, lineOf(change, terminal.resultPalette));
}

function lineOf({ path, change, lines_added: added, lines_deleted: deleted }: Change, palette: Palette): string {
  const [letter, tone] = LETTERS[change];
  const counts = [
    added !== null && added > 0 ? `+${String(added)}` : '',
    deleted !== null && deleted > 0 ? `-${String(deleted)}` : '',
  ].filter((count) => count !== '');
  return [
    palette.tone(tone, letter),
    safeName(path),
    ...(counts.length > 0 ? [palette.dim(counts.join(' '))] : []),
  ].join('  ');
}
