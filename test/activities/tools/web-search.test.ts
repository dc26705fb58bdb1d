import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { handlerOf } from '../../../src/activities/tools/handlers.js';
import { configSchema } from '../../../src/compiler/project/config.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import { configVariables } from '../../../src/workers/credentials.js';
import { callTool, toolContext } from '../helpers/tool-context.js';

const BRAVE = { web: { results: [{ title: 'Perdure', url: 'https://example.org', description: 'Runs.' }] } };

/** A search on this machine that answers this, and what it was asked. */
async function searching(answer: unknown, status = 200) {
  const asked: { url: string; token: string | undefined }[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    asked.push({ url, token: headers['x-token'] as string | undefined });
    response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  const tool: Tool = {
    kind: 'builtin',
    name: 'web_search',
    search: {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/search?q=\${query}&n=3`,
      headers: { 'X-Token': '${env.SEARCH_TOKEN}' },
    },
  };
  return { asked, tool };
}

const context = async (env: Record<string, string> = { SEARCH_TOKEN: 'planted' }) => ({
  ...(await toolContext()),
  credentials: () => env,
});

describe('a search that the project names', () => {
  it('is called by us, and no tool of the provider', () => {
    const search = { url: 'https://example.org/?q=${query}', headers: {} };
    expect(handlerOf({ kind: 'builtin', name: 'web_search', search }).server).toBe(undefined);
    expect(handlerOf({ kind: 'builtin', name: 'web_search' }).server).toBe(true);
  });

  it('is asked with the words as data and its secret, with the network closed, and gives what was found', async () => {
    const { asked, tool } = await searching(BRAVE);
    expect(await callTool(tool, { query: 'a b&n=9#${query}' }, await context())).toEqual({
      content: [{ title: 'Perdure', url: 'https://example.org', text: 'Runs.' }],
      is_error: false,
    });
    expect(asked).toEqual([{ url: '/search?q=a%20b%26n%3D9%23%24%7Bquery%7D&n=3', token: 'planted' }]);
  });

  it('is asked also where a model wrote half of a character', async () => {
    const { asked, tool } = await searching(BRAVE);
    expect(await callTool(tool, { query: 'a\ud83d' }, await context())).toMatchObject({ is_error: false });
    expect(asked[0]?.url).toBe('/search?q=a%EF%BF%BD&n=3');
  });

  it('hands on no secret that its answer repeats', async () => {
    const { tool } = await searching({ results: [{ title: 'You are planted-secret', url: 'u', content: 'c' }] });
    expect(await callTool(tool, { query: 'x' }, await context({ SEARCH_TOKEN: 'planted-secret' }))).toEqual({
      content: [{ title: 'You are …', url: 'u', text: 'c' }],
      is_error: false,
    });
  });

  it('hands on no part of a secret where more is answered than is shown', async () => {
    const long = (limit: number): string => `${'x'.repeat(limit / 2 - 4)}planted-secret${'x'.repeat(limit)}`;
    for (const answer of [long(50 * 1024), { results: [{ title: 't', url: 'u', content: long(5 * 1024) }] }]) {
      const { tool } = await searching(answer);
      const found = await callTool(tool, { query: 'x' }, await context({ SEARCH_TOKEN: 'planted-secret' }));
      expect(JSON.stringify(found)).toContain('left out');
      expect(JSON.stringify(found)).not.toContain('pl');
    }
  });

  it('gives an answer of another form as its text', async () => {
    const { tool } = await searching('<p>Found</p>');
    expect(await callTool(tool, { query: 'x' }, await context())).toEqual({ content: '<p>Found</p>', is_error: false });
  });

  it.each<[string, number, Record<string, string>, string]>([
    ['a refusal', 403, { SEARCH_TOKEN: 'x' }, 'The search answered 403.'],
    ['a secret that is not there', 200, {}, '`SEARCH_TOKEN` is not set for this worker'],
  ])('tells of %s', async (_what, status, env, message) => {
    const { tool } = await searching('no', status);
    expect(await callTool(tool, { query: 'x' }, await context(env))).toEqual({
      content: expect.stringContaining(message) as string,
      is_error: true,
    });
  });

  it.each([
    'https://example.org/',
    'https://${query}/',
    'https://example.org${query}',
    'ftp://example.org/?q=${query}',
    'https://example.org/?q=${query}&k=${env.KEY}',
  ])('is not at `%s`', (url) => {
    expect(configSchema.safeParse({ search: { url } }).success).toBe(false);
  });

  it('names variables that travel to the worker, and holds no secret itself', () => {
    const url = 'https://example.org/?q=${query}';
    expect(configVariables({ search: { url, headers: { 'X-Token': '${env.SEARCH_TOKEN}' } } })).toEqual([
      'SEARCH_TOKEN',
    ]);
    expect(configSchema.safeParse({ search: { url, headers: { 'X-Token': 'secret' } } }).success).toBe(false);
  });
});
