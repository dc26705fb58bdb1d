import type { ApplicationFailure } from '@temporalio/common';
import { stepFailure } from '../failures.js';
import { withoutLogin } from '../../plan/text/without-login.js';
import { cutTo } from '../../plan/text/cut-to.js';
import { OTHER_MODELS } from '../../plan/agents/model-names.js';
import { BODY_BYTES } from './http/http.js';
import { retryAfterMs } from './http/retry-after.js';

/** What an HTTP endpoint said instead of an answer. */
export interface HttpRefusal {
  status: number;
  /** The provider's own word for it: `overloaded_error`; null when it gives none. */
  kind: string | null;
  message: string;
  header: (name: string) => string | null;
  model: string;
}

const OVERLOADED = new Set([503, 529]);
const CONTEXT = /prompt is too long|context (length|window)|too many tokens|maximum context/i;

/**
 * A refusal as the failure of a step. Rate limits and overload are tried again by Temporal, the rest is final (decision
 * 13).
 */
export function httpFailure(refusal: HttpRefusal): ApplicationFailure {
  const { status, kind, message, model } = refusal;
  const said = `${status}: ${message}`;
  const retry = { afterMs: retryAfterMs(refusal.header, Date.now()) };
  if (status === 429 || kind === 'rate_limit_error')
    return stepFailure('rate-limited', `The provider limits the rate of calls (${said}).`, retry);
  if (OVERLOADED.has(status) || kind === 'overloaded_error')
    return stepFailure('provider-error', `The provider is overloaded (${said}).`, retry);
  if (status === 401 || status === 403)
    return stepFailure(
      'key-refused',
      `The provider refuses the key (${said}). Check it, and that its account may use \`${model}\`.`,
    );
  if (status === 402) return stepFailure('key-refused', `The provider wants to be paid first (${said}).`);
  if (status === 404)
    return stepFailure('model-missing', `The provider does not know the model \`${model}\` (${said}). ${OTHER_MODELS}`);
  if (status === 413 || CONTEXT.test(message))
    return stepFailure(
      'request-refused',
      `The request is too long for \`${model}\` (${said}). Shorten the prompt or its inputs.`,
    );
  if (status === 408 || status === 409 || status >= 500)
    return stepFailure('provider-error', `The provider failed (${said}).`);
  return stepFailure('request-refused', `The provider refuses the request (${said}).`);
}

/** Of what is no answer so much is shown. */
const SHOWN_CHARACTERS = 200;

/** What is thrown of JSON that came in the place of an answer, and is none: `connectionFailure` tells it. */
export function noAnswer(body: string): SyntaxError {
  return new SyntaxError(`it is neither a stream nor an answer, but \`${cutTo(body.trim(), SHOWN_CHARACTERS)}\``);
}

/** What a connection fails with before anything was sent: no way there, none allowed, or nobody who is trusted. */
const NOT_SENT = [
  /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|Connect Timeout)\b/i,
  /\b(EACCES|EPERM|EINVAL|certificate)\b/i,
];

const MOST = `${BODY_BYTES / 1024 / 1024} MiB`;
/** What undici says, and `readAll`, of an answer that is longer: the next one would be, too. */
const TOO_LONG = new RegExp(`exceeded max size|more than ${MOST}`);

/** Failures of calls that the provider may have taken. */
const sent = new WeakSet<ApplicationFailure>();

/** No answer came, or it broke off, or is none that can be read: `address` could not be reached or did not go on. */
export function connectionFailure(address: string, error: unknown): ApplicationFailure {
  const url = withoutLogin(address);
  const why = rootCause(error);
  const isUnreadable = error instanceof SyntaxError;
  const failure = TOO_LONG.test(why)
    ? stepFailure('answer-truncated', `The answer of \`${url}\` has more than ${MOST}: no more of it was read.`)
    : stepFailure(
        'provider-unreachable',
        isUnreadable
          ? `The answer of \`${url}\` cannot be read: ${why}.`
          : `The connection to \`${url}\` failed: ${why}.`,
      );
  if (!NOT_SENT.some((pattern) => pattern.test(why))) sent.add(failure);
  return failure;
}

/** Tells whether a call that failed was on its way, so that it may have to be paid for. */
export function wasSent(failure: ApplicationFailure): boolean {
  return sent.has(failure);
}

/** The innermost reason is the one that helps: `connect ECONNREFUSED 127.0.0.1:1`, not `fetch failed`. */
function rootCause(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : rootCause(error.cause);
}
