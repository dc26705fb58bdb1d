// @seconds 10
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpServer as SdkServer, createMcpHandler } from '@modelcontextprotocol/server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callRemote } from '../../../src/activities/tools/call-remote.js';
import type { ToolContext, ToolRun } from '../../../src/activities/tools/handler/handler.js';
import { openServer } from '../../../src/activities/mcp/open-server.js';
import { closeServers } from '../../../src/activities/mcp/server-pool.js';
import { canonicalJson } from '../../../src/plan/values/json.js';
import type { JsonObject } from '../../../src/plan/values/json.js';
import type { ListedTool, McpServer } from '../../../src/plan/tools/mcp-server.js';
import type { RemoteTool } from '../../../src/plan/tools/tool.js';
import { until } from '../../faults/project.js';
import { isAlive } from '../helpers/processes.js';
import { toolContext } from '../helpers/tool-context.js';

const FIXTURE = fileURLToPath(new URL('../../fakes/mcp-server.mjs', import.meta.url));
const folders: string[] = [];

afterEach(async () => {
  await closeServers();
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-mcp-'));
  folders.push(folder);
  return folder;
}

function notes(folder: string, more: Partial<McpServer & { kind: 'stdio' }> = {}): McpServer {
  return { kind: 'stdio', argv: [process.execPath, FIXTURE, folder], env: {}, cwd: null, timeout_ms: 20_000, ...more };
}

/** What the server of the tests lists; asked for once, each of its starts takes a third of a second. */
let notesTools: ListedTool[] = [];
beforeAll(async () => {
  const folder = newFolder();
  notesTools = await toolsOf(notes(folder), folder);
});

async function toolsOf(server: McpServer, folder: string): Promise<ListedTool[]> {
  const open = await openServer({ name: 'notes', server, root: folder, credentials: () => SECRETS, store: 'list' });
  try {
    return await open.tools();
  } finally {
    await open.close();
  }
}

/** A tool as a submit would close it into a Plan. */
async function listed(server: McpServer, remote: string, folder: string): Promise<RemoteTool> {
  const found = (server.kind === 'stdio' ? notesTools : await toolsOf(server, folder)).find(
    ({ name }) => name === remote,
  );
  if (found === undefined) throw new Error(`no tool ${remote}`);
  return {
    kind: 'mcp',
    name: `notes__${remote}`,
    server: 'notes',
    remote,
    description: found.description,
    inputs: found.inputs,
    connect: canonicalJson({ ...server }),
    ...(found.reads ? { reads: true as const } : {}),
  };
}

const SECRETS = { NOTES_TOKEN: 'planted-secret', OTHER_SECRET: 'not for it' };

let context: ToolContext;
beforeEach(async () => {
  context = { ...(await toolContext()), credentials: () => SECRETS };
});

async function call(tool: RemoteTool, args: JsonObject, signal: AbortSignal = context.signal): Promise<ToolRun> {
  return callRemote.run(tool, args, { ...context, signal });
}

const logOf = (folder: string): string =>
  existsSync(join(folder, 'mcp.log')) ? readFileSync(join(folder, 'mcp.log'), 'utf8') : '';
const pidsOf = (folder: string, word: string): number[] =>
  logOf(folder)
    .split('\n')
    .flatMap((line) => (line.startsWith(`${word} `) ? [Number(line.split(' ')[1])] : []));

describe('a tool of an MCP server on stdio', () => {
  it('is told to models as the server lists it, and answers', async () => {
    const folder = newFolder();
    const tool = await listed(notes(folder), 'echo', folder);
    expect(await callRemote.spec(tool, context.store)).toEqual({
      name: 'notes__echo',
      description: 'Says it again.',
      input_schema: expect.objectContaining({ type: 'object', required: ['text'] }) as object,
    });
    expect(await call(tool, { text: 'hi' })).toEqual({ content: 'echo: hi', is_error: false });
    expect(await call(tool, { words: 'hi' })).toMatchObject({ is_error: true });
  });

  it('says so where its answer is nested too deep to be passed on', async () => {
    const folder = newFolder();
    const tool = await listed(notes(folder), 'nest', folder);
    expect(await call(tool, { levels: 3 })).toEqual({ content: { lists: [[['innermost']]] }, is_error: false });
    expect(await call(tool, { levels: 600 })).toMatchObject({
      content: expect.stringContaining('without more than 500 levels'),
      is_error: true,
    });
  });

  it('is external unless the server says that it only reads, and is judged by its name', async () => {
    const folder = newFolder();
    expect([
      callRemote.effect(await listed(notes(folder), 'echo', folder), {}),
      callRemote.effect(await listed(notes(folder), 'add_note', folder), {}),
    ]).toEqual(['none', 'external']);
    expect(callRemote.action(await listed(notes(folder), 'add_note', folder), {}, folder)).toEqual({
      kind: 'call',
      what: 'mcp',
      name: 'notes__add_note',
    });
  });

  it('shares one process with the other calls of a worker', async () => {
    const folder = newFolder();
    const tool = await listed(notes(folder), 'add_note', folder);
    await Promise.all(['a', 'b', 'c'].map((note) => call(tool, { note })));
    expect(pidsOf(folder, 'started')).toHaveLength(1);
    expect(logOf(folder).match(/^note /gm)).toHaveLength(3);
  });

  it('sees the variables that its config names, and no other', async () => {
    const folder = newFolder();
    const { content } = await call(
      await listed(notes(folder, { env: { TOKEN: '${env.NOTES_TOKEN}', LEVEL: 'debug' } }), 'environment', folder),
      {},
    );
    const names = String(content)
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(content).toContain('LEVEL=debug');
    expect(content).toMatch(/^TOKEN=…$/m); // its value was there to be masked (I13)
    expect(
      names.filter(
        (name) => !['HOME', 'LANG', 'LEVEL', 'PATH', 'PERDURE_RUN_TAG', 'TMPDIR', 'TOKEN', 'TZ'].includes(name ?? ''),
      ),
    ).toEqual([]);
  });

  it('that needs a variable which is not set says which', async () => {
    const folder = newFolder();
    const tool = await listed(notes(folder), 'echo', folder);
    const connect = canonicalJson({ ...notes(folder, { env: { TOKEN: '${env.NO_SUCH}' } }) });
    expect(await call({ ...tool, connect }, { text: 'x' })).toEqual({
      is_error: true,
      content: 'The MCP server `notes` needs the variable `NO_SUCH`, which is not set.',
    });
  });

  it('is not called once its description has changed, in the same connection or in a new one', async () => {
    const folder = newFolder();
    const [echo, turn] = [await listed(notes(folder), 'echo', folder), await listed(notes(folder), 'turn', folder)];
    await call(turn, {});
    expect(await call(echo, { text: 'x' })).toMatchObject({
      is_error: true,
      content: expect.stringContaining('has changed since the run was submitted') as string,
    });
    await closeServers();
    expect(await call(echo, { text: 'x' })).toEqual({ content: 'echo: x', is_error: false });
    await closeServers();
    writeFileSync(join(folder, 'description'), 'Another.');
    expect(await call(echo, { text: 'x' })).toMatchObject({ is_error: true });
    expect(await call({ ...turn, remote: 'gone' }, {})).toMatchObject({
      is_error: true,
      content: 'The MCP server `notes` has no tool `gone` any more.',
    });
  });

  it('tells its failure and its end as errors that a model can read, and works again after', async () => {
    const folder = newFolder();
    expect(await call(await listed(notes(folder), 'fail', folder), {})).toEqual({
      content: 'it went wrong',
      is_error: true,
    });
    expect(await call(await listed(notes(folder), 'die', folder), {})).toMatchObject({
      is_error: true,
      content: expect.stringContaining('gave no answer') as string,
    });
    expect(await call(await listed(notes(folder), 'echo', folder), { text: 'again' })).toMatchObject({
      content: 'echo: again',
    });
  });

  it('that cannot be started says what it said', async () => {
    const folder = newFolder();
    const tool = await listed(notes(folder), 'echo', folder);
    const broken = async (argv: string[]): Promise<ToolRun> =>
      call({ ...tool, connect: canonicalJson({ ...notes(folder, { argv }) }) }, { text: 'x' });
    expect(
      (await broken([process.execPath, '-e', 'console.error("no token here"); process.exit(1)'])).content,
    ).toContain('it said: no token here');
    expect((await broken(['no-such-program'])).content).toContain('Cannot find the program `no-such-program`');
  });

  it('that fails says nothing of its secrets, nor does what comes of a header that is none', async () => {
    const folder = newFolder();
    const tool = await listed(notes(folder), 'echo', folder);
    const saying = async (server: McpServer): Promise<ToolRun> =>
      callRemote.run(
        { ...tool, connect: canonicalJson({ ...server }) },
        { text: 'x' },
        { ...context, credentials: () => ({ NOTES_TOKEN: 'planted-secret\nof two lines\n' }) },
      );
    const argv = [process.execPath, '-e', 'console.error(`refused: ${process.env.TOKEN}`); process.exit(1)'];
    const started = await saying(notes(folder, { argv, env: { TOKEN: '${env.NOTES_TOKEN}' } }));
    expect(started.content).toContain('it said: refused: …');
    const headers = { Authorization: 'Bearer ${env.NOTES_TOKEN}' };
    const reached = await saying({ kind: 'http', url: 'http://127.0.0.1:1/mcp', headers, timeout_ms: 5_000 });
    expect(reached.content).toContain('cannot be used');
    expect(JSON.stringify([started, reached])).not.toMatch(/planted|two lines/);
  });

  it('that fails says no part of a secret that stands where its words are cut', async () => {
    const folder = newFolder();
    const tool = await listed(notes(folder), 'echo', folder);
    for (const around of [
      'process.stderr.write("x".repeat(596) + key + "x".repeat(9000)',
      'process.stderr.write("x".repeat(9000) + key + "x".repeat(596)',
    ]) {
      const argv = [process.execPath, '-e', `const key = process.env.TOKEN; ${around}); process.exitCode = 1`];
      const { content } = await call(
        { ...tool, connect: canonicalJson({ ...notes(folder, { argv, env: { TOKEN: '${env.NOTES_TOKEN}' } }) }) },
        { text: 'x' },
      );
      expect(content).toContain('left out');
      expect(content).not.toMatch(/xpl|etx/);
    }
  });

  it.each([
    ['is cancelled', (controller: AbortController) => controller.abort(), {}],
    ['takes too long', () => undefined, { timeout_ms: 8_000 }],
  ])('that %s leaves no process', async (_how, end, more) => {
    const folder = newFolder();
    const tool = await listed(notes(folder, more), 'hang', folder);
    const controller = new AbortController();
    const running = call(tool, {}, controller.signal).catch((error: unknown) => error);
    const [child] = await until(() => {
      const found = pidsOf(folder, 'child');
      return found.length > 0 ? found : null;
    });
    end(controller);
    await running;
    const server = pidsOf(folder, 'started').at(-1);
    await until(async () => !(await isAlive(child ?? 0)) && !(await isAlive(server ?? 0)));
  });
});

describe('a server that a call has left without an answer', () => {
  it('is used by no other call, and ends with the last that uses it', async () => {
    const folder = newFolder();
    const [hang, echo] = [await listed(notes(folder), 'hang', folder), await listed(notes(folder), 'echo', folder)];
    const calls = [0, 1].map(() => {
      const controller = new AbortController();
      return { controller, running: call(hang, {}, controller.signal).catch((error: unknown) => error) };
    });
    await until(() => (pidsOf(folder, 'child').length === 2 ? true : null));
    const [first = 0] = pidsOf(folder, 'started');
    calls[0]?.controller.abort();
    await calls[0]?.running;
    expect(await call(echo, { text: 'x' })).toMatchObject({ content: 'echo: x' });
    expect(pidsOf(folder, 'started')).toHaveLength(2);
    expect(await isAlive(first)).toBe(true);
    calls[1]?.controller.abort();
    await calls[1]?.running;
    expect(await isAlive(first)).toBe(false);
    expect(await call(echo, { text: 'y' })).toMatchObject({ content: 'echo: y' });
    expect(pidsOf(folder, 'started')).toHaveLength(2);
  });
});

describe('a tool of an MCP server on http', () => {
  it('is called with the headers of its config, secrets filled in', async () => {
    const folder = newFolder();
    const seen: (string | undefined)[] = [];
    const handler = createMcpHandler(() => {
      const server = new SdkServer({ name: 'web', version: '1' });
      server.registerTool(
        'echo',
        { description: 'Says it.', inputSchema: z.object({ text: z.string() }) },
        ({ text }) => ({ content: [{ type: 'text', text: `web: ${text}` }] }),
      );
      return server;
    });
    const http = await listen(async (request) => {
      seen.push(request.headers.authorization);
      return handler.fetch(await toRequest(request));
    });
    const server: McpServer = {
      kind: 'http',
      url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
      headers: { Authorization: 'Bearer ${env.NOTES_TOKEN}' },
      timeout_ms: 60_000,
    };
    const tool = await listed(server, 'echo', folder);
    expect(await call(tool, { text: 'hi' })).toEqual({ content: 'web: hi', is_error: false });
    expect(new Set(seen)).toEqual(new Set(['Bearer planted-secret']));
    http.close();
    http.closeAllConnections();
  });
});

async function listen(answer: (request: IncomingMessage) => Promise<Response>): Promise<Server> {
  const server = createServer((request, response) => {
    void answer(request).then(async (answered) => {
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      response.end(Buffer.from(await answered.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // a request without an encoding gives buffers
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
  return new Request(`http://${request.headers.host ?? ''}${request.url ?? ''}`, {
    method: request.method ?? 'GET',
    headers,
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
}
