import type { Json } from '../values/json.js';
import type { Hash } from '../values/value.js';
import type { Limit } from '../budget/budgets.js';
import type { RunEnd } from '../result.js';

/** What people can be told of: a gate waits for them, a limit pauses a run, a run has ended. */
export const NOTICE_EVENTS = ['waiting', 'paused', 'ended'] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** How people are told (`notify` of the config), settled at submit. */
export interface NotifySettings {
  on: NoticeEvent[];
  /** Program and arguments; it gets the notice as JSON on stdin. */
  command?: string[];
  /** An address that the notice is posted to, or `${env.NAME}`, the variable that holds it (I13). */
  webhook?: string;
}

/** What is told, as the program and the address get it. `run` is the root; `command` is what a person types next. */
export type Notice = { run: string; definition: string; submitted_by: string; at: string; command: string } & (
  | {
      event: 'waiting';
      gate: string;
      kind: string;
      message: string;
      hash: Hash;
      deadline?: string;
      approvers?: string[];
      options?: Json[];
    }
  | { event: 'paused'; paused: string; limit: Limit; message: string }
  | { event: 'ended'; status: RunEnd; error: string | null; usd: number | null; steps: number }
);

/** The workflow that tells one notice: beside the run, which never waits for it. */
export const NOTICE_WORKFLOW = 'perdureNotice';

/** One way to tell a notice, as an activity takes it. `run` and `workspace` are those of the run it is about. */
export interface NoticeCall {
  way: { command: string[] } | { webhook: string };
  notice: Notice;
  workspace: string;
}

/** Where the log of a run tells what was not taken: no step has this path. */
export const NOTICE_LOG = '.notify';

const REFERENCE = /^\$\{env\.([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** The variable that holds the address, where it is one. */
export function addressVariable(webhook: string | undefined): string | null {
  return REFERENCE.exec(webhook ?? '')?.[1] ?? null;
}

/** The address itself, with its variable put in; null when that is not set or no address. */
export function filledAddress(webhook: string, variables: Record<string, string | undefined>): string | null {
  const variable = addressVariable(webhook);
  const address = variable === null ? webhook : (variables[variable] ?? '');
  return /^https?:\/\/[^\s/]/.test(address) ? address : null;
}
