import { listAside } from '../../store/records/aside-files.js';
import { rootOf } from '../observe/view/view.js';
import { plural } from '../text/format.js';
import { safeLine } from '../text/safe-text.js';

/** As many are named; all of them are in one folder. */
const SHOWN = 10;

/**
 * What of a run's workspaces came to be while its commands ran that may not make it, and where it is kept; for
 * people.
 */
export function asideLines(stateDir: string | null, run: string): string[] {
  const found = stateDir === null ? [] : listAside(stateDir, rootOf(run));
  if (found.length === 0) return [];
  const lines = found.slice(0, SHOWN).map(({ path, kept }) => `  ${safeLine(path)}: ${safeLine(kept)}`);
  const more = found.length > SHOWN ? [`  and ${found.length - SHOWN} more beside`] : [];
  return [
    `${plural(found.length, 'thing')} made or changed at protected paths while commands ran, kept until the run is ` +
      'pruned:',
    ...lines,
    ...more,
  ];
}
