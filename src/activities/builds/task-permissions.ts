import type { Member } from '../../plan/builds/build-spec.js';
import { mapIn } from '../../plan/builds/build-spec.js';
import { isEverything, pathOf } from '../../plan/builds/agent-paths.js';
import type { Json, JsonObject } from '../../plan/values/json.js';

/** What no agent of a build writes: what it is told of others' work is kept there. */
const KEPT = ['/.elisa/', '/.perdure'];

/**
 * `permissions` of the file of an agent: where its writes are held to by its paths in the spec, and what the spec's
 * `permissions` let all agents do.
 */
export function agentPermissions(
  { allowed_paths: allowed, restricted_paths: restricted = [] }: Member,
  spec: Json,
): JsonObject {
  const said = mapIn(spec, 'permissions');
  const ask = [
    ...(said['auto_approve_workspace_writes'] === false ? ['write'] : []),
    ...(said['auto_approve_safe_commands'] === false ? ['command'] : []),
  ];
  const { allow_network: network, escalation_threshold: threshold } = said;
  return {
    protected: [...KEPT, ...restricted.filter((path) => !isEverything(path)).map((path) => `/${pathOf(path)}`)],
    ...writableBy(allowed, restricted),
    ...(ask.length === 0 ? {} : { ask }),
    ...(typeof network === 'boolean' ? { network } : {}),
    ...(typeof threshold === 'number' ? { escalate_after: threshold } : {}),
  };
}

/** The only paths that are written: none where everything is restricted. */
function writableBy(allowed: string[] | undefined, restricted: string[]): JsonObject {
  if (restricted.some(isEverything)) return { writable: [] };
  return allowed === undefined || allowed.some(isEverything) ? {} : { writable: allowed.map(pathOf) };
}
