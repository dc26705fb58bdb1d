import type { Value } from '../values/value.js';

/**
 * What one call of a tool would do, as the policy judges it and as people see it; at most 2 KiB of JSON. Paths are from
 * the workspace's root where they lead into it, else as the model wrote them.
 */
export type Action =
  | { kind: 'read' | 'write'; path: string }
  | { kind: 'command'; argv: string[]; cwd: string }
  | { kind: 'request'; method: string; url: string }
  | { kind: 'make'; what: 'agent' | 'tool' | 'workflow'; name: string; content: Value }
  /** `also`: the names of a server's own for its tool, where they are others. */
  | { kind: 'call'; what: 'tool' | 'mcp' | 'workflow'; name: string; also?: string[] }
  /** An agent is called, one of the Plan or one that was made in this run, with files that it is shown. */
  | { kind: 'call'; what: 'agent' | 'made'; name: string; files?: string[] }
  | { kind: 'none' };

/** The bytes of JSON that an action may have; what is longer is refused before it is judged. */
export const ACTION_BYTES = 2_048;

/** What becomes of an action; `sandbox`: it runs in the sandbox or not at all. */
export type Verdict = { verdict: 'allow'; sandbox: boolean } | { verdict: 'deny' | 'ask'; reason: string };
