import { GRANTED_PATH, openGrant } from '../../activities/gates/grant.js';
import { noteRefused } from '../../activities/gates/refused.js';
import { rootOf } from '../../cli/observe/view/view.js';
import type { Site } from '../site.js';
import { createForgedLimit } from '../access/forged-limit.js';

/** Keeps with its run that a form of another site was to decide a gate there; the first of what comes at once. */
export function keepForeign(site: Site): (path: string) => Promise<void> {
  const mayKeep = createForgedLimit();
  return async (path) => {
    const at = await gateAt(path, site);
    if (at === null || !mayKeep()) return;
    const isKnown = await site.runs.view(rootOf(at.run)).then(
      () => true,
      () => false,
    );
    const refused = { gate: at.gate, by: 'another site', reason: 'its form is none of these pages.' };
    // Whoever sent it is refused all the same.
    if (isKnown) await noteRefused(site.session.store, at.run, refused).catch(() => undefined);
  };
}

/** The gate that a path decides; null where it decides none. */
async function gateAt(path: string, { session: { store } }: Site): Promise<{ run: string; gate: string } | null> {
  const [, run, gate] = /^\/gates\/([\w.-]{1,128})\/([\w./-]{1,200})$/.exec(path) ?? [];
  if (run !== undefined && gate !== undefined) return { run, gate };
  return path.startsWith(GRANTED_PATH)
    ? openGrant(path.slice(GRANTED_PATH.length).split('/', 1)[0] ?? '', store)
    : null;
}
