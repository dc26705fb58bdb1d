import type { z } from 'zod';
import type { Check, Issue } from './check.js';
import { issuesOf, reportIssues } from './check.js';
import type { Node } from './node.js';
import { withoutPaths } from './node.js';
import { respelled } from './respell.js';

/** A map held against its schema, and what remains of it without its faults. */
export interface Sound<T> {
  /** The sound part as its schema types it; null when a key that must be there is missing or faulty itself. */
  value: T | null;
  /** The sound part with its positions; the whole map where `value` is null. */
  node: Node;
  /** The whole map, with the keys spelled right. */
  spelled: Node;
  /** Keys of the map at or below which there are faults. */
  faulty: ReadonlySet<string>;
}

/** Like `check`, but goes on with what is sound: one fault must not hide what else is wrong with the same map. */
export function checkSound<T>(schema: z.ZodType<T>, node: Node, options: Check): Sound<T> {
  const faulty = new Set<string>();
  let result = schema.safeParse(node.value);
  // What is sound is not looked at twice.
  const spelled = result.success ? node : respelled(schema, node, options);
  if (spelled !== node) result = schema.safeParse(spelled.value);
  if (!result.success) reportIssues(issuesOf(result.error), { schema, root: spelled, options });
  let sound = spelled;
  while (!result.success) {
    const faults = issuesOf(result.error).flatMap((issue) => faultsOf(issue, sound));
    for (const [key] of faults) faulty.add(String(key));
    const inside = faults.filter((path) => path.length > 0);
    // Each round takes something away, so that there is a last one.
    if (inside.length === 0) return { value: null, node: spelled, spelled, faulty };
    sound = withoutPaths(sound, inside);
    result = schema.safeParse(sound.value);
  }
  return { value: result.data, node: sound, spelled, faulty };
}

type Path = readonly PropertyKey[];

/** What to leave out because of one fault; the empty path is the whole map, which lacks something. */
function faultsOf(issue: Issue, root: Node): Path[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...issue.path, key]);
  let node = root;
  for (const [depth, segment] of issue.path.entries()) {
    const next = typeof segment === 'number' ? node.items?.[segment] : node.members?.get(String(segment))?.node;
    if (next === undefined) return [issue.path.slice(0, depth)];
    node = next;
    // What stands later in a list may mean something by the first item only: the executable of a command.
    if (segment === 0) return [issue.path.slice(0, depth)];
  }
  return [issue.path];
}
