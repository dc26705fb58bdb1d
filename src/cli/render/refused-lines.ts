import { refusedIn } from '../../activities/gates/refused.js';
import type { Store } from '../../store/store.js';
import { rootOf } from '../observe/view/view.js';
import { plural } from '../text/format.js';
import { safeLine } from '../text/safe-text.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/** As many are shown; `perdure logs` has all. */
const SHOWN = 5;

/** Decisions from elsewhere that were refused in a run's tree, for people: the last of them, with when and why. */
export async function refusedLines(store: Store, run: string): Promise<string[]> {
  const lines = await refusedIn(store, rootOf(run));
  if (lines.length === 0) return [];
  const last = lines
    .slice(-SHOWN)
    .map(({ at, text }) => `  ${at.slice(0, 19).replace('T', ' ')} ${safeLine(text.trim())}`);
  const more =
    lines.length > SHOWN ? `, the last ${SHOWN} here; all in \`${shellCommand('perdure logs', [rootOf(run)])}\`` : '';
  return [`${plural(lines.length, 'decision')} refused${more}:`, ...last];
}
