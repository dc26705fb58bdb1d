import type { Expression, Template } from '../values/expression.js';

/** How senders sign what they send. */
export const SIGNATURES = ['standard', 'github'] as const;
export type SignatureKind = (typeof SIGNATURES)[number];

/** What a delivery tells a run: `${event.…}`. */
export const WEBHOOK_EVENT = ['id', 'type', 'time', 'body'];

/** Runs of a definition start by what somebody posts. */
export interface Webhook {
  signature: SignatureKind;
  /** The variable of the listener's environment that holds the secret. */
  secret: string;
  /** Deliveries for which it is false start nothing; null for all. */
  when: Expression | null;
  inputs: Record<string, Template>;
  /** A larger body is refused. */
  max_bytes: number;
  /** More genuine deliveries in a minute are refused. */
  max_per_minute: number;
  /** More runs of it that are open, or wait to begin, are refused. */
  max_open: number;
}
