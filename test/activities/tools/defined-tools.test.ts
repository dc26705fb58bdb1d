import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/plan/values/json.js';
import type { Agent } from '../../../src/plan/step.js';
import type { DefinedTool, Tool } from '../../../src/plan/tools/tool.js';
import { handlerOf } from '../../../src/activities/tools/handlers.js';
import { shownOf } from '../../../src/activities/turns/shown-call.js';
import { PERMISSIONS } from '../../workflows/helpers/conversing.js';
import { callTool, toolContext } from '../helpers/tool-context.js';

const REQUEST: Tool = { kind: 'builtin', name: 'http_request' };
const SECRET = 'canary-21d8+/';
let context: Awaited<ReturnType<typeof toolContext>>;
beforeEach(async () => {
  context = await toolContext();
  process.env['TOOL_TOKEN'] = SECRET;
});
afterEach(() => {
  delete process.env['TOOL_TOKEN'];
});

const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

function toolOf(kind: 'http' | 'command' | 'python', exec: JsonObject, more: JsonObject = {}): DefinedTool {
  const definition = {
    name: 'sample',
    kind,
    inputs: { schema: TEXT },
    outputs: { format: 'text' },
    exec: { [kind]: exec },
    ...more,
  };
  return {
    kind: 'defined',
    name: 'sample',
    description: 'A sample.',
    inputs: JSON.stringify(TEXT),
    definition: JSON.stringify(definition),
    folder: 'definitions/tools/sample',
    effect: 'none',
  };
}

/** Answers requests while the test runs; gives host and port. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

const call = (tool: DefinedTool, args: JsonObject): ReturnType<typeof callTool> => callTool(tool, args, context);

describe('tools of tool.yml', () => {
  it('of kind command get each value as one argument, and as stdin', async () => {
    expect(
      await call(toolOf('command', { entrypoint: 'printf', args: ['[%s]', 'a ${text} $HOME'] }), {
        text: '; rm -rf ${text}',
      }),
    ).toEqual({ content: '[a ; rm -rf ${text} $HOME]', is_error: false });
    expect(
      await call(toolOf('command', { entrypoint: 'wc', args: ['-w'], stdin: '${text}' }), { text: 'one two' }),
    ).toMatchObject({ content: '2' });
  });

  it('of kind command run a program of their own folder', async () => {
    await mkdir(join(context.workspace, 'definitions/tools/sample'), { recursive: true });
    await writeFile(join(context.workspace, 'definitions/tools/sample/run.sh'), '#!/bin/sh\necho "own $1"\n', {
      mode: 0o755,
    });
    expect(await call(toolOf('command', { entrypoint: 'run.sh', args: ['${text}'] }), { text: 'x' })).toMatchObject({
      content: 'own x',
    });
  });

  it('that a client made have no folder of programs', { tags: ['sandbox'] }, async () => {
    await mkdir(join(context.workspace, 'definitions/tools/sample'), { recursive: true });
    await writeFile(join(context.workspace, 'definitions/tools/sample/run.sh'), '#!/bin/sh\necho own\n', {
      mode: 0o755,
    });
    expect(await call({ ...toolOf('command', { entrypoint: 'run.sh' }), made: true }, { text: 'x' })).toEqual({
      content: expect.stringContaining('run.sh'),
      is_error: true,
    });
  });

  it('show a person who is asked all that an agent calls them with', async () => {
    const tool = toolOf('command', { entrypoint: 'wc' });
    const agent = { name: 'counter' } as Agent; // who asks is all that is shown of it
    const action = { kind: 'call', what: 'tool', name: tool.name } as const;
    expect(await shownOf(context.store, agent, { tool, action, args: { text: 'to the moon' } })).toMatchObject({
      message: expect.stringContaining('`counter` wants to use `sample`'),
      content: { ...action, input: { text: 'to the moon' } },
    });
  });

  it.each([
    ['an input of another type', { text: 3 }, 'The input does not fit'],
    ['an option in place of a value', { text: '--help' }, 'be taken for an option'],
    ['a NUL', { text: 'a\0b' }, 'NUL character'],
  ])('refuse %s', async (_title, args, message) => {
    expect(await call(toolOf('command', { entrypoint: 'cat', args: ['${text}'] }), args)).toEqual({
      content: expect.stringContaining(message),
      is_error: true,
    });
  });

  it('of kind python call a function, and give what it returns', { tags: ['python3'] }, async () => {
    const exec = { module: 'builtins', function: 'sorted', args: ['${text}'] };
    expect(
      await call(toolOf('python', exec, { outputs: { format: 'json', schema: { type: 'array' } } }), { text: 'ba' }),
    ).toEqual({ content: ['a', 'b'], is_error: false });
    expect(
      await call(toolOf('python', exec, { outputs: { format: 'json', schema: { type: 'object' } } }), { text: 'ba' }),
    ).toMatchObject({ content: expect.stringContaining('not as its file says'), is_error: true });
  });

  it.each([
    ['a number that JSON does not have', 'float', ['nan'], 'not JSON compliant'],
    ['its own end in place of an answer', 'exit', [0], 'no whole JSON'],
    ['two keys that are one in JSON', 'eval', ['{1: 2, "1": 3}'], 'JSON without a key that is written twice'],
  ])('of kind python say that a function gave %s', { tags: ['python3'] }, async (_what, name, given, said) => {
    const tool = toolOf('python', { module: 'builtins', function: name, args: given }, { outputs: { format: 'json' } });
    expect(await call(tool, { text: 'x' })).toEqual({
      content: expect.stringContaining(said) as string,
      is_error: true,
    });
  });

  it('of kind python keep what is printed apart from what is given', { tags: ['python3'] }, async () => {
    const exec = { module: 'os', function: 'system', args: ['${text}'] };
    expect(await call(toolOf('python', exec, { outputs: { format: 'json' } }), { text: 'echo printed' })).toEqual({
      content: 0,
      is_error: false,
    });
  });

  it('give JSON as a whole that is longer than what is told of a text', { tags: ['python3'] }, async () => {
    const json = { outputs: { format: 'json' } };
    const python = toolOf('python', { module: 'builtins', function: 'list', args: ['${text}'] }, json);
    expect(await call(python, { text: 'x'.repeat(20_000) })).toMatchObject({ content: { length: 20_000 } });
    const command = toolOf('command', { entrypoint: 'python3', args: ['-c', 'print([0] * 20000)'] }, json);
    expect(await call(command, { text: 'x' })).toMatchObject({ content: { length: 20_000 } });
  });

  it.each([
    ['outside', '/etc', 'one of the workspace'],
    ['above', 'sub/../..', 'one of the workspace'],
    ['behind a link that leads out', 'out', 'one of the workspace'],
    ['that is not there', 'nowhere', 'one of the workspace'],
    ['that is a file', 'file', 'there is none'],
    ['with a NUL', 'a\0b', 'NUL character'],
  ])('run in no folder %s that a call names', async (_which, text, said) => {
    await mkdir(join(context.workspace, 'sub'));
    await writeFile(join(context.workspace, 'file'), '');
    await symlink('/etc', join(context.workspace, 'out'));
    const refused = { content: expect.stringContaining(said) as string, is_error: true };
    expect(await call(toolOf('command', { entrypoint: 'pwd', cwd: '${text}' }), { text })).toEqual(refused);
    expect(await call(toolOf('command', { entrypoint: 'pwd', cwd: '${text}' }), { text: 'sub' })).toEqual({
      content: join(context.workspace, 'sub'),
      is_error: false,
    });
  });

  it('say that they get no variable with a NUL, and that the folder of their file is not there', async () => {
    const nul = toolOf('command', { entrypoint: 'env', env: { A: '${text}' } });
    const nowhere = toolOf('command', { entrypoint: 'env', cwd: 'nowhere' });
    expect(await call(nul, { text: 'a\0b' })).toMatchObject({ content: expect.stringContaining('NUL') as string });
    expect(await call(nowhere, { text: 'x' })).toMatchObject({ content: expect.stringContaining('none') as string });
  });

  it('use secrets that show in neither result nor log, and say which is missing', async () => {
    const exec = {
      entrypoint: 'sh',
      args: ['-c', 'echo "$TOKEN"; printf %s "$TOKEN" | base64; echo "$TOKEN" >&2'],
      env: { TOKEN: '${TOOL_TOKEN}' },
    };
    const tool = toolOf('command', exec, { permissions: { secrets: { TOOL_TOKEN: { required: true } } } });
    expect(await call(tool, { text: 'x' })).toEqual({ content: '…\n…', is_error: false });
    expect(context.logged.join('')).not.toContain(SECRET);
    delete process.env['TOOL_TOKEN'];
    expect(await call(tool, { text: 'x' })).toMatchObject({
      content: expect.stringContaining('`TOOL_TOKEN`'),
      is_error: true,
    });
  });

  it.each([
    ['more than is told of it', `print("x" * int(sys.argv[1]) + os.environ["TOKEN"] + "x" * 40000)`, 'text'],
    ['more than is told of its end', `print("x" * 40000 + os.environ["TOKEN"] + "x" * int(sys.argv[1]))`, 'text'],
    ['no JSON', `print("x" * (int(sys.argv[1]) % 9) + os.environ["TOKEN"] + "x" * 99)`, 'json'],
    ['an error', `sys.exit("x" * int(sys.argv[1]) + os.environ["TOKEN"] + "x" * 40000)`, 'text'],
  ])('give no part of a secret where a program writes %s', { tags: ['python3'] }, async (_what, code, format) => {
    const exec = {
      entrypoint: 'python3',
      args: ['-c', `import os, sys; ${code}`, '${text}'],
      env: { TOKEN: '${TOOL_TOKEN}' },
    };
    const tool = toolOf('command', exec, { outputs: { format }, permissions: { secrets: { TOOL_TOKEN: {} } } });
    for (const part of [2, SECRET.length - 1]) {
      expect(JSON.stringify(await call(tool, { text: String(15 * 1024 - part) }))).not.toMatch(/xca|nary|21d8|8\+/);
    }
  });

  it('of kind http give no part of a secret where a server refuses with more than is told', async () => {
    const host = await serve((request, response) => {
      const before = Number(new URL(request.url ?? '', 'http://x').searchParams.get('before'));
      response.writeHead(400).end(`${'x'.repeat(before)}${request.headers['authorization'] ?? ''}`);
    });
    const exec = {
      method: 'GET',
      url: `http://${host}/`,
      query: { before: '${text}' },
      headers: { Authorization: '${TOOL_TOKEN}' },
    };
    const tool = toolOf('http', exec, { permissions: { network: [host], secrets: { TOOL_TOKEN: {} } } });
    for (let part = 0; part <= SECRET.length; part += 1)
      expect(JSON.stringify(await call(tool, { text: String(1_000 - part) }))).not.toContain('xca');
  });

  it('of kind http reach the hosts of their file and no other, and take what is asked of the answer', async () => {
    const asked: unknown[] = [];
    const host = await serve((request, response) => {
      asked.push([request.url, request.headers['authorization']]);
      response.end(JSON.stringify({ items: [{ id: 1, title: { text: 'first' } }] }));
    });
    const exec = {
      method: 'GET',
      url: `http://${host}/of/\${text}`,
      query: { q: '${text}' },
      headers: { Authorization: 'Bearer ${TOOL_TOKEN}' },
      response: { json_path: 'items', fields: [{ name: 'title', path: 'title.text' }] },
    };
    const open = { outputs: { format: 'json' }, permissions: { network: [host], secrets: { TOOL_TOKEN: {} } } };
    expect(await call(toolOf('http', exec, open), { text: 'a/b?c d' })).toEqual({
      content: [{ title: 'first' }],
      is_error: false,
    });
    expect(asked).toEqual([['/of/a/b%3Fc%20d?q=a%2Fb%3Fc+d', `Bearer ${SECRET}`]]);
    expect(await call(toolOf('http', exec, open), { text: 'half \ud83d' })).toMatchObject({ is_error: false });
    expect(asked.pop()).toEqual([expect.stringMatching(/^\/of\/half%20%EF%BF%BD\?/), `Bearer ${SECRET}`]);
    expect(await call(toolOf('http', exec, open), { text: '../../admin' })).toMatchObject({ is_error: true });
    expect(await call(toolOf('http', exec, { ...open, permissions: {} }), { text: 'x' })).toMatchObject({
      content: expect.stringContaining('network'),
      is_error: true,
    });
    expect(asked).toHaveLength(1);
  });

  it.each(['text', 'json'])('of kind http say which answer cannot be passed on, as %s', async (format) => {
    const answers = [
      `{"found": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      '{"found": [1e999]}',
      '{"found": [1], "found": [2]}',
      '{"found": [1]}',
    ];
    const host = await serve((_request, response) => response.end(answers.shift()));
    const exec = { method: 'GET', url: `http://${host}/`, response: { json_path: '$.found' } };
    const tool = toolOf('http', exec, { permissions: { network: [host] }, outputs: { format } });
    const refused = (fault: string) => ({ is_error: true, content: expect.stringContaining(fault) as string });
    expect(await call(tool, { text: 'x' })).toMatchObject(refused('without more than 500 levels'));
    expect(await call(tool, { text: 'x' })).toMatchObject(refused('without numbers as large as 1e309'));
    expect(await call(tool, { text: 'x' })).toMatchObject(refused('without a key that is written twice'));
    expect(await call(tool, { text: 'x' })).toMatchObject({ is_error: false });
  });

  it('of kind http give what was filled into their headers to no other origin', async () => {
    const host = await serve(({ headers }, response) =>
      response.end(JSON.stringify([headers['x-token'], headers['x-form']])),
    );
    const first = await serve((_request, response) => response.writeHead(302, { location: `http://${host}/` }).end());
    const exec = { method: 'GET', url: `http://${first}/`, headers: { 'X-Token': '${TOOL_TOKEN}', 'X-Form': 'short' } };
    expect(
      await call(toolOf('http', exec, { permissions: { network: [first, host], secrets: { TOOL_TOKEN: {} } } }), {
        text: 'x',
      }),
    ).toEqual({ content: '[null,"short"]', is_error: false });
  });

  it('of kind http reach these hosts also where a maker that reaches none may call them', async () => {
    const host = await serve((_request, response) => response.end('there'));
    const tool = toolOf('http', { method: 'GET', url: `http://${host}/` }, { permissions: { network: [host] } });
    expect(
      await callTool(tool, { text: 'x' }, await toolContext({ within: [{ ...PERMISSIONS, deny: ['request'] }] })),
    ).toEqual({ content: 'there', is_error: false });
    expect(
      await callTool(tool, { text: 'x' }, await toolContext({ within: [{ ...PERMISSIONS, deny: ['tool:sample'] }] })),
    ).toHaveProperty('denied');
  });
});

describe('a request that a person has allowed', () => {
  it.each([
    ['its maker would have asked for', { ask: ['request'] }, 200],
    ['its maker may not make', { ask: ['request'], deny: ['request:* */secret'] }, null],
  ])('follows a redirect that %s', async (_what, more, status) => {
    const host = await serve(({ url }, response) =>
      response.writeHead(url === '/' ? 302 : 200, { location: '/secret' }).end(),
    );
    const network = [host];
    const open = await toolContext({ network, within: [{ ...PERMISSIONS, network, ...more }] });
    const run = await handlerOf(REQUEST).run(REQUEST, { url: `http://${host}/` }, { ...open, allowed: true });
    expect(run).toMatchObject(
      status === null
        ? { is_error: true, content: expect.stringContaining('deny') as string }
        : { is_error: false, content: { status } },
    );
  });
});
