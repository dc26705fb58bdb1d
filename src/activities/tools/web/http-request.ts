import { z } from 'zod';
import { builtin, failed, ok } from '../handler/builtin.js';
import { startTimeLimit } from '../../attempt/time-limit.js';
import { cutText } from '../../processes/output-capture.js';
import { WebRefusal, fetchWeb } from './fetch.js';
import { plainAddress } from '../../../plan/tools/plain-address.js';

const LIMIT_MS = 30_000;
const SHOWN_BYTES = 100 * 1024;
/** Headers of an answer that say something about its body. */
const SHOWN_HEADERS = ['content-type', 'content-length', 'last-modified', 'etag', 'link', 'retry-after', 'location'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export const httpRequest = builtin({
  description: 'Makes an HTTP request to a host that the permissions name, and gives status, headers and body.',
  input: z.strictObject({
    url: z.string().min(1).max(1_500).describe('An http or https address.'),
    method: z.enum(METHODS).optional().describe('GET when left out.'),
    headers: z.record(z.string(), z.string()).optional(),
    body: z
      .string()
      .max(1024 * 1024)
      .optional(),
  }),
  parallel: true,
  quick: false,
  effect: ({ method = 'GET' }) => (method === 'GET' || method === 'HEAD' ? 'none' : 'external'),
  action: ({ url, method = 'GET' }) => ({ kind: 'request', method, url: plainAddress(url)?.href ?? url }),
  run: async ({ url, method = 'GET', headers = {}, body }, { permissions, allowed, signal }) => {
    const limit = startTimeLimit(signal, LIMIT_MS);
    try {
      const answer = await fetchWeb({ method, url, headers, body: body ?? null }, permissions, limit.signal, {
        allowed: allowed === true,
      });
      const shown = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => SHOWN_HEADERS.includes(name)));
      return ok({
        status: answer.status,
        headers: shown,
        body: cutText(answer.body, SHOWN_BYTES),
        truncated: answer.truncated || Buffer.byteLength(answer.body) > SHOWN_BYTES,
      });
    } catch (error) {
      if (error instanceof WebRefusal) return failed(error.message);
      if (limit.isOver()) return failed(`There was no whole answer within ${LIMIT_MS / 1000} s.`);
      throw error;
    } finally {
      limit.release();
    }
  },
});
