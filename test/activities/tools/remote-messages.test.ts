// @seconds 15
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { callRemote } from '../../../src/activities/tools/call-remote.js';
import type { ToolRun } from '../../../src/activities/tools/handler/handler.js';
import { closeServers } from '../../../src/activities/mcp/server-pool.js';
import { canonicalJson } from '../../../src/plan/values/json.js';
import type { McpServer } from '../../../src/plan/tools/mcp-server.js';
import { toolContext } from '../helpers/tool-context.js';

const INITIALIZED =
  `{ protocolVersion: request.params.protocolVersion, capabilities: { tools: {} }, ` +
  `serverInfo: { name: 'raw', version: '1' } }`;
const TOOLS = `{ tools: [{ name: 'say', description: 'Says.', inputSchema: { type: 'object' } }] }`;

/** A server that writes what it likes when its tool is called. */
const server = (called: string): string => `
  const answer = (id, result) => JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n';
  const said = (id) => answer(id, { content: [{ type: 'text', text: 'said' }] });
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const request = JSON.parse(line);
    if (request.method === 'initialize') process.stdout.write(answer(request.id, ${INITIALIZED}));
    else if (request.method === 'tools/list') process.stdout.write(answer(request.id, ${TOOLS}));
    else if (request.method === 'tools/call') { ${called} }
    else if (request.id !== undefined) {
      const error = { code: -32601, message: 'no' };
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: request.id, error }) + '\\n');
    }
  });
`;

/** A server of 2026 that has the SDK list its tools anew, which then has the schema of what it answers. */
const MODERN = `
  const head = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' };
  const outputSchema = { type: 'object', properties: { x: { pattern: '^(a+)+$' } } };
  const answers = {
    'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
    'tools/list': () => ({
      tools: [{ name: 'say', description: 'Says.', inputSchema: { type: 'object' }, outputSchema }],
    }),
    'tools/call': () => ({ content: [], structuredContent: { x: 'a'.repeat(60) + '!' } }),
  };
  let isAsked = false;
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const isMismatch = method === 'tools/call' && !isAsked;
    isAsked ||= isMismatch;
    const said = isMismatch
      ? { error: { code: -32020, message: 'header mismatch' } }
      : { result: { ...head, ...answers[method]() } };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...said }) + '\\n');
  });
`;

const folder = mkdtempSync(join(tmpdir(), 'perdure-mcp-'));
afterEach(() => closeServers());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function callOf(connect: McpServer): Promise<ToolRun> {
  const context = await toolContext();
  const tool = {
    kind: 'mcp' as const,
    name: 'raw__say',
    server: 'raw',
    remote: 'say',
    description: 'Says.',
    inputs: canonicalJson({ type: 'object' }),
    connect: canonicalJson({ ...connect }),
  };
  return callRemote.run(tool, {}, { ...context, workspace: folder });
}

function onStdio(called: string, limitMs = 60_000): Promise<ToolRun> {
  const file = join(folder, 'server.cjs');
  writeFileSync(file, server(called));
  return callOf({ kind: 'stdio', argv: [process.execPath, file], env: {}, cwd: null, timeout_ms: limitMs });
}

describe('what an MCP server writes', () => {
  it('is read after words of its that are JSON and no message', async () => {
    expect(await onStdio(`process.stdout.write('{"level":"info"}\\n7\\n' + said(request.id));`)).toEqual({
      content: 'said',
      is_error: false,
    });
  });

  it('is not held against a schema of its, which a worker may never be done with', async () => {
    const file = join(folder, 'modern.cjs');
    writeFileSync(file, MODERN);
    const tool = { kind: 'stdio' as const, argv: [process.execPath, file], env: {}, cwd: null, timeout_ms: 60_000 };
    const { content } = await callOf(tool);
    expect(content).toEqual({ x: `${'a'.repeat(60)}!` });
  });

  it('is not gathered without end where a line on stdio has none', async () => {
    const flood = `const more = () => process.stdout.write('x'.repeat(1 << 20), more); more();`;
    expect(await onStdio(flood)).toEqual({
      content: 'The MCP server `raw` gave no answer: it wrote a message of more than 10 MiB.',
      is_error: true,
    });
  });

  it('of its progress gives it no more time', async () => {
    const progress =
      `const { progressToken } = request.params._meta; let progress = 0; setInterval(() => ` +
      `process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', ` +
      `params: { progressToken, progress: (progress += 1) } }) + '\\n'), 500);`;
    expect(await onStdio(progress, 5_000)).toMatchObject({
      content: expect.stringContaining('gave no answer') as string,
      is_error: true,
    });
  });

  it.each([
    ['an answer', 'application/json', ''],
    ['an event', 'text/event-stream', 'data: '],
  ])('is not gathered without end where %s on http has none', async (_what, type, head) => {
    const http = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += String(chunk)));
      request.on('end', () => {
        const asked = JSON.parse(text || '{}') as {
          id?: number;
          method?: string;
          params?: { protocolVersion: string };
        };
        const answers: Record<string, unknown> = {
          initialize: {
            protocolVersion: asked.params?.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: 'raw', version: '1' },
          },
          'tools/list': { tools: [{ name: 'say', description: 'Says.', inputSchema: { type: 'object' } }] },
        };
        const result = answers[asked.method ?? ''];
        if (result !== undefined) {
          response.writeHead(200, { 'content-type': 'application/json' });
          return response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result }));
        }
        if (asked.method !== 'tools/call')
          return response.writeHead(asked.id === undefined && asked.method !== undefined ? 202 : 405).end();
        response.writeHead(200, { 'content-type': type });
        response.write(head);
        const more = (): void => {
          if (!response.destroyed) response.write('x'.repeat(1 << 20), more);
        };
        more();
      });
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    expect(await callOf({ kind: 'http', url: `http://127.0.0.1:${port}/`, headers: {}, timeout_ms: 60_000 })).toEqual({
      content: 'The MCP server `raw` gave no answer: it wrote a message of more than 10 MiB.',
      is_error: true,
    });
    http.close();
    http.closeAllConnections();
  });
});
