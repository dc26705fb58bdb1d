import { z } from 'zod';
import type { Json } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import { filledValues, secretsIn } from '../../../plan/tools/mcp-server.js';
import type { Tool } from '../../../plan/tools/tool.js';
import { cutText } from '../../processes/output-capture.js';
import { startTimeLimit } from '../../attempt/time-limit.js';
import type { Mask } from '../../values/mask-secrets.js';
import { maskCut, maskOf, maskValue } from '../../values/mask-secrets.js';
import { builtin, failed, ok } from '../handler/builtin.js';
import type { ToolContext, ToolHandler, ToolRun } from '../handler/handler.js';
import type { WebRequest } from './fetch.js';
import { WebRefusal, fetchWeb } from './fetch.js';

const LIMIT_MS = 30_000;
const MOST_RESULTS = 10;
const SHOWN_BYTES = 50 * 1024;

const input = z.strictObject({ query: z.string().min(1).max(500).describe('What is looked for.') });

/** What a search is told to the model, and how its arguments are checked. */
const asked = builtin({
  description: 'Searches the web, and gives title, address and text of what was found.',
  input,
  parallel: true,
  quick: false,
  effect: 'none',
  action: () => ({ kind: 'none' }),
  run: async () => failed('No search is configured.'),
});

/** `web_search` at the address that `perdure.yml` names: whoever wrote it there allows it. */
export const searchAt: ToolHandler<Tool & { kind: 'builtin' }> = {
  ...asked,
  async run({ search }, args, context) {
    const { success, data } = input.safeParse(args);
    if (!success || search === undefined) return failed('Expected `query`.');
    const credentials = context.credentials?.() ?? {};
    const headers = filledValues(search.headers, credentials);
    if ('missing' in headers)
      return failed(`The search cannot be asked: \`${headers.missing}\` is not set for this worker.`);
    const limit = startTimeLimit(context.signal, LIMIT_MS);
    // Who is asked may show what it was asked with (I13).
    const mask = maskOf(secretsIn(search.headers, credentials));
    try {
      const { content, is_error } = await find(
        search.url.replace('${query}', () => encodeURIComponent(data.query.toWellFormed())),
        headers.values,
        { ...context, signal: limit.signal },
        mask,
      );
      return { content: maskValue(content, mask), is_error };
    } catch (error) {
      if (error instanceof WebRefusal) return failed(error.message);
      if (limit.isOver()) return failed(`The search has not answered within ${LIMIT_MS / 1000} s.`);
      throw error;
    } finally {
      limit.release();
    }
  },
};

/** The request of a search; its configured headers are for its own origin. */
export function searchRequest(url: string, headers: Record<string, string>): WebRequest {
  return {
    method: 'GET',
    url,
    headers: { accept: 'application/json', ...headers },
    body: null,
    own: Object.keys(headers),
  };
}

async function find(
  url: string,
  headers: Record<string, string>,
  { permissions, signal }: ToolContext,
  mask: Mask,
): Promise<ToolRun> {
  const { host } = new URL(url);
  const answer = await fetchWeb(
    searchRequest(url, headers),
    { ...permissions, deny: [], within: [], network: [host] },
    signal,
    { named: true },
  );
  if (answer.status >= 400) return failed(`The search answered ${answer.status}.`);
  const body = answer.truncated ? maskCut(answer.body, mask, 'end') : answer.body;
  return ok(resultsIn(body, mask) ?? cutText(body, SHOWN_BYTES, mask));
}

/** What was found, in the words of the searches that there are; null where the answer has another form. */
function resultsIn(body: string, mask: Mask): Json[] | null {
  const answer = parsed(body);
  const web = isObject(answer) ? (answer['web'] ?? answer) : null;
  const results = isObject(web) ? web['results'] : null;
  if (!Array.isArray(results)) return null;
  return results
    .slice(0, MOST_RESULTS)
    .filter(isObject)
    .map((result) => ({
      title: textIn(result, ['title']),
      url: textIn(result, ['url', 'link']),
      text: cutText(textIn(result, ['content', 'description', 'snippet', 'text']), SHOWN_BYTES / MOST_RESULTS, mask),
    }));
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json; // JSON.parse gives JSON
  } catch {
    return null;
  }
}

function textIn(result: Record<string, Json>, keys: string[]): string {
  return keys.map((key) => result[key]).find((value) => typeof value === 'string') ?? '';
}
