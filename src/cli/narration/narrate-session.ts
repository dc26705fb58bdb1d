import { allowancesOf } from '../../compiler/formats/narration.js';
import type { NarrationLine } from '../../plan/narration/record.js';
import { outsideEnvironment } from '../../store/processes/search-path.js';
import { usageError } from '../exit-codes.js';
import type { Session } from '../session.js';
import type { Terminal } from '../terminal.js';
import type { Narration } from './narrate.js';
import { narrate } from './narrate.js';

/** Begins to tell of a run where that is wanted, by its definition or otherwise; null where it is not. */
export type NarrateRun = (run: string, isDefined: boolean, tell: (line: NarrationLine) => void) => Narration | null;

/**
 * Narration as the command line says, else the run's definition (`wanted` null). Throws a usage error where it is
 * wanted and the store is elsewhere: what is said is kept there, and only heard here. Who `hears` is told what others
 * say of any run.
 */
export function narrateIn(
  session: Session,
  wanted: boolean | null,
  terminal: Terminal,
  { hears }: { hears: boolean } = { hears: false },
): NarrateRun {
  const { store, elsewhere, config, project } = session;
  if (wanted === true && elsewhere !== null)
    throw usageError(`A run is narrated where its store is, and \`${store.id}\` is elsewhere.`, 'Watch it there.');
  return (run, isDefined, tell) => {
    const isTold = wanted ?? isDefined;
    if (!isTold && !hears) return null;
    return narrate(run, {
      store,
      stateDir: project.stateDir,
      allowances: allowancesOf(config.narration),
      options: config.models ?? {},
      providers: config.providers ?? {},
      env: outsideEnvironment(terminal.env, project.root),
      speaks: isTold && elsewhere === null,
      tell,
    });
  };
}
