import { describe } from '../../cli/observe/as-of-now.js';
import type { HookPlace } from '../../plan/triggers/hook-places.js';
import { STARTER } from '../../plan/triggers/start.js';
import type { Store } from '../../store/store.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Hook } from './hook.js';

/** A place that was taken for a starter which the server has not got by then is free: whoever took it was lost. */
const TAKEN_MS = 60_000;

/** Tells whether a starter has one of the `max_open` places of its hook, which all listeners of the project share. */
export async function hasPlace(
  { name, project, webhook }: Hook,
  { starter, prefix }: { starter: string; prefix: string },
  { store, link }: { store: Store; link: Pick<TemporalLink, 'client' | 'taskQueue'> },
): Promise<boolean> {
  const wish = { starter, at: new Date().toISOString(), most: webhook.max_open };
  const hook = `${name}/${project}`;
  const { isTaken, places } = await store.takeHookPlace(hook, { ...wish, ended: [] });
  if (isTaken) return true;
  const ended = await endedOf(places, prefix, link);
  return ended.length > 0 && (await store.takeHookPlace(hook, { ...wish, ended })).isTaken;
}

/** Those of places' starters that have ended. The server's list is late: each that it lacks says so itself. */
async function endedOf(
  places: HookPlace[],
  prefix: string,
  link: Pick<TemporalLink, 'client' | 'taskQueue'>,
): Promise<string[]> {
  const query = `WorkflowType = '${STARTER}' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '${prefix}'`;
  const listed = new Set<string>();
  for await (const { workflowId } of link.client.workflow.list({ query, pageSize: 1000 })) listed.add(workflowId);
  const ended: string[] = [];
  for (const { starter, at } of places) {
    if (listed.has(starter)) continue;
    const now = await describe(link, starter);
    const isOpen =
      now === null || now === 'elsewhere' ? Date.now() - Date.parse(at) < TAKEN_MS : now.status.name === 'RUNNING';
    if (!isOpen) ended.push(starter);
  }
  return ended;
}
