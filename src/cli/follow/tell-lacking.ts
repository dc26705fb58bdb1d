import type { Store } from '../../store/store.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { lackingLines, requiresWorker } from '../observe/lacking-workers.js';
import { placeOfRun, runVersion } from '../observe/versions.js';
import type { RunView } from '../observe/view/view.js';
import { isClosed } from '../observe/view/view.js';
import { runVersionLines } from '../render/version-lines.js';

const LOOK_MS = 3_000;

interface Told {
  store: Pick<Store, 'listWorkers' | 'homes'>;
  /** The one that is used now: there is another after a reconnect. */
  link: () => TemporalLink;
  tell: (line: string) => void;
}

/** Says, while a run is followed, what of it waits for a worker that is not there. */
export interface LackingTeller {
  see(view: RunView): void;
  close(): void;
}

/** Tells what two looks have found, so nothing of a worker that is back at once; and again what comes again. */
export function tellLacking({ store, link, tell }: Told): LackingTeller {
  let view: RunView | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;
  let hasVersion: boolean | null = null;
  let found: string[] = [];
  let told: string[] = [];

  async function linesOf(run: RunView): Promise<string[]> {
    hasVersion ??= !link().embedded;
    if (!hasVersion && !requiresWorker(run)) return [];
    const place = await placeOfRun(link(), run.run);
    if (place === null) return found;
    hasVersion = place.version !== null;
    const version = await runVersion(place, store);
    const isLost = version?.behavior === 'pinned' && !version.isServed;
    const lost = isLost ? runVersionLines(run.run, version) : [];
    return [...lost, ...(await lackingLines(run, place, { server: link(), store }))];
  }

  async function look(): Promise<void> {
    if (view === null || isClosed(view.status) || isLooking) return;
    isLooking = true;
    const lines = await linesOf(view).catch(() => found); // the next look asks again
    isLooking = false;
    if (timer === null) return;
    const lasting = lines.filter((line) => found.includes(line));
    for (const line of lasting) if (!told.includes(line)) tell(line);
    [found, told] = [lines, lasting];
  }

  return {
    see(now) {
      view = now;
      if (timer !== null) return;
      timer = setInterval(() => void look(), LOOK_MS);
      timer.unref();
      void look();
    },
    close() {
      if (timer !== null) clearInterval(timer);
      timer = null;
      view = null;
    },
  };
}
