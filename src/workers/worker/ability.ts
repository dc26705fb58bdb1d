import { findSandbox } from '../../activities/tools/shell/sandbox.js';
import type { Ability } from '../../plan/placement/requirement.js';
import { findOnPath } from '../../store/processes/find-on-path.js';

/** What this process can do as a worker: what it is told that it has, and what it finds by itself. */
export function abilityOf(labels: readonly string[]): Ability {
  return {
    labels: new Set(labels),
    hasProgram: (name) => findOnPath(name, process.env['PATH'] ?? '') !== null,
    hasSandbox: async () => (await findSandbox()) !== null,
  };
}
