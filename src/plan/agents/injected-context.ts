import type { Hash } from '../values/value.js';

/** One piece of what agents are told beside their prompt, and where it is from. */
export interface ContextBlock {
  /** `AGENTS.md`, `memory`, `session:task-a1b2c3d4`. */
  source: string;
  /** Whether a person who keeps the project wrote it. */
  trusted: boolean;
  text: string;
}

/**
 * What all agents of a tree of runs are told, as it was when the run was submitted (I2): a stored value, whose hash the
 * run's settings and each call name.
 */
export interface InjectedContext {
  /** Marks the containers: nothing inside can know it, since it depends on all that is inside. */
  nonce: string;
  blocks: ContextBlock[];
  /** The session that the run goes on with, or null. */
  session: string | null;
  /** Hash of AGENTS.md; null where agents are told none. */
  agents_md: Hash | null;
}
