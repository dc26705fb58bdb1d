import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { gzipSync } from 'node:zlib';
import { codeOf } from '../errors.js';
import type { OtlpMessage } from './otlp-messages.js';
import { REQUESTS, toProtobuf } from './otlp-messages.js';
import type { OtlpTarget } from './telemetry-settings.js';
import { timeLimit } from '../../store/time-limit.js';

/**
 * What became of a request. `refused`: nothing of it was taken, and it may be sent again, where the receiver said so
 * after `afterMs`. `unknown`: it went out, and nobody knows whether it was taken. `rejected`: it never will be.
 */
export type Posted =
  | { kind: 'taken'; partly: boolean }
  | { kind: 'refused'; why: string; afterMs: number | null }
  | { kind: 'unknown' | 'rejected'; why: string };

/** Statuses by which a receiver says that it took nothing, and may later. */
const REFUSED = new Set([429, 502, 503]);
/** What is kept so long is given up. */
const LONGEST_AFTER_MS = 24 * 3_600_000;
/** So much of an answer says all that is of use. */
const ANSWER_BYTES = 64 * 1024;

/** Sends one request. Never throws; no message names the address or a header, which may be secrets (I13). */
export async function postOtlp(
  target: OtlpTarget,
  kind: keyof typeof REQUESTS,
  message: OtlpMessage,
  signal: AbortSignal,
): Promise<Posted> {
  const plain =
    target.protocol === 'http/json' ? Buffer.from(JSON.stringify(message)) : toProtobuf(message, REQUESTS[kind]);
  const body = target.gzip ? gzipSync(plain) : plain;
  const headers = {
    ...target.headers,
    'content-type': target.protocol === 'http/json' ? 'application/json' : 'application/x-protobuf',
    'content-length': body.length,
    ...(target.gzip ? { 'content-encoding': 'gzip' } : {}),
  };
  try {
    return await send(target, { headers, body, signal });
  } catch (error) {
    // A certificate that cannot be read, or a header that is none.
    return { kind: 'refused', why: codeOf(error) ?? 'it could not be sent', afterMs: null };
  }
}

interface Sent {
  headers: Record<string, string | number>;
  body: Buffer;
  signal: AbortSignal;
}

function send({ url, protocol, timeoutMs, certificate }: OtlpTarget, { headers, body, signal }: Sent): Promise<Posted> {
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const ca = certificate === null ? {} : { ca: readFileSync(certificate) };
  return new Promise((resolve) => {
    // From the first byte on that leaves us, the receiver may have taken it.
    let isOut = false;
    const request = start(url, {
      method: 'POST',
      // Of a connection that was kept nobody knows whether it still leads anywhere.
      agent: false,
      headers,
      ...ca,
      signal: timeLimit(timeoutMs, signal),
    });
    request.on('socket', (socket) => {
      const out = (): void => void (isOut = true);
      if (!socket.connecting) out();
      else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', out);
    });
    request.on('error', (error) => {
      const why = signal.aborted ? 'the worker ends' : (codeOf(error) ?? error.name);
      resolve(isOut ? { kind: 'unknown', why } : { kind: 'refused', why, afterMs: null });
    });
    request.on('response', (response) => {
      const { statusCode = 0 } = response;
      // An answer that says more says what was not taken.
      const silence = protocol === 'http/json' ? '{"partialSuccess":{}}'.length : 2;
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES) response.destroy();
      });
      response.on('close', () => resolve(judge(statusCode, bytes > silence, response.headers['retry-after'])));
      response.on('error', () => undefined); // its close tells
    });
    request.end(body);
  });
}

function judge(status: number, partly: boolean, retryAfter: string | undefined): Posted {
  if (status >= 200 && status < 300) return { kind: 'taken', partly };
  const why = `status ${String(status)}`;
  if (REFUSED.has(status)) return { kind: 'refused', why, afterMs: waitOf(retryAfter) };
  return { kind: status === 500 || status === 504 ? 'unknown' : 'rejected', why };
}

/** Milliseconds; null where the receiver says none. A timer that is to wait longer than it can does not wait at all. */
function waitOf(retryAfter: string | undefined): number | null {
  const seconds = Number(retryAfter);
  return seconds > 0 ? Math.min(seconds * 1000, LONGEST_AFTER_MS) : null;
}
