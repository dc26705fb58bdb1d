import type { JsonObject } from '../values/json.js';

/**
 * The arguments of a call without those that are null and say nothing by it: programs write null for what they leave
 * out. `mayBeLeftOut` tells of one that is null whether it need not be given and has no null among its values.
 */
export function withoutUnsaid(args: JsonObject, mayBeLeftOut: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => value !== null || !mayBeLeftOut(name)));
}
