import type { Json } from '../values/json.js';
import type { Hash } from '../values/value.js';
import type { Limit } from '../budget/budgets.js';
import type { RunEnd } from '../result.js';
import type { Gate } from './gate.js';
import type { MailSettings, MailWay } from './mail-way.js';
import { ownOf } from '../values/own.js';

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
  /** `${env.NAME}`, the variable that holds the secret by which what is posted there is signed (Standard Webhooks). */
  secret?: string;
  /** Addresses of incoming webhooks, as that one. */
  slack?: string;
  teams?: string;
  email?: MailSettings;
  /** Links by which whoever reads the notice decides are in it. */
  links?: true;
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
      /** Reminders that were given, this one too. */
      reminders?: number;
      /** Whom it was escalated to: they may decide as well. */
      escalated?: string[];
      /** What can begin then; absent where nobody looked. */
      follows?: Follows;
      /** Its page, for who is signed in. */
      page?: string;
      /** By which whoever has them decides, made when the notice is sent. */
      links?: NoticeLink[];
    }
  | { event: 'paused'; paused: string; limit: Limit | 'quota'; message: string }
  | { event: 'ended'; status: RunEnd; error: string | null; usd: number | null; steps: number }
);

/** The workflow that tells one notice: beside the run, which never waits for it. */
export const NOTICE_WORKFLOW = 'perdureNotice';

/** What can begin once a gate is decided: as a notice tells it. */
export interface Follows {
  /** Only the run that asks was looked at, and not those around it. */
  run_only?: true;
  /** Steps that wait for it, those in them included. */
  steps: number;
  /** Names of those that their author marks as `effect: external`. */
  external: string[];
  /** What its run may still use of its own limits; absent for none. */
  budget?: { usd?: number; tokens?: number; steps?: number };
  /** By closed runs, made when the notice is sent; absent where they say too little. */
  forecast?: NoticeForecast;
}

/**
 * What half of all runs, and 95 of 100, take at most: US dollars, null where no price is known, and milliseconds
 * without the time of people.
 */
export interface NoticeForecast {
  /** Closed runs that it is made from. */
  runs: number;
  usd: { p50: number; p95: number } | null;
  ms: { p50: number; p95: number };
}

/** The gate that a notice forecasts what is left at. */
export interface GateInPlan {
  /** The root's Plan, and the body of it whose run asks; null for its own. */
  plan: Hash;
  nested: Hash | null;
  /** That Plan was made while another run went on, which is the root. */
  made?: true;
  /** In that run, rounds included. */
  path: string;
}

/** A link by which one person decides a gate, once (decision 39). */
export interface NoticeLink {
  to: string;
  may: string[];
  /** ISO 8601, UTC. */
  expires: string;
  url: string;
}

/** The gate that a notice is about, where it has links. */
export interface GateOfNotice {
  /** Origin of the pages. */
  pages: string;
  /** The run that takes decisions: workflow id, and the id of its first Temporal run. */
  owner: { run: string; first: string };
  gate: Pick<Gate, 'path' | 'kind' | 'hash' | 'since' | 'options' | 'approvers' | 'excluded' | 'deadline'>;
}

/** One way to tell a notice. */
export type NoticeWay =
  | { command: string[] }
  | { webhook: string; secret?: string }
  | { slack: string }
  | { teams: string }
  | { email: MailWay };

/** One way to tell a notice, as an activity takes it. `run` and `workspace` are those of the run it is about. */
export interface NoticeCall {
  way: NoticeWay;
  notice: Notice;
  workspace: string;
  /** Absent where it has no links. */
  asked?: GateOfNotice;
  /** Absent but for gates. */
  left?: GateInPlan;
}

/** All ways of settings, each told by itself. */
export function waysOf({ command, webhook, secret, slack, teams, email }: NotifySettings): NoticeWay[] {
  return [
    ...(command === undefined ? [] : [{ command }]),
    ...(webhook === undefined ? [] : [{ webhook, ...(secret === undefined ? {} : { secret }) }]),
    ...(slack === undefined ? [] : [{ slack }]),
    ...(teams === undefined ? [] : [{ teams }]),
    ...(email === undefined ? [] : email.to.map((to) => ({ email: { ...email, to } }))),
  ];
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
  const address = variable === null ? webhook : (ownOf(variables, variable) ?? '');
  return /^https?:\/\/[^\s/]/.test(address) ? address : null;
}
