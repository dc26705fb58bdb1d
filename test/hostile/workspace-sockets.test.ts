// @module-tag sandbox
// @module-tag python3
// @seconds 10
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

let context: Awaited<ReturnType<typeof toolContext>>;
const at = (path: string): string => join(context.workspace, path);
const python = async (script: string): Promise<string> => {
  const argv = ['python3', '-c', `import os, socket\ns = socket.socket(socket.AF_UNIX)\n${script}`];
  return JSON.stringify(await callTool({ kind: 'builtin', name: 'shell' }, { argv }, context));
};

/** A server of the person, such as a database, that lets everybody in who reaches its socket. */
async function listening(path: string): Promise<() => number> {
  let reached = 0;
  const server = createServer((socket) => {
    reached += 1;
    socket.on('error', () => undefined).end('canary');
  });
  mkdirSync(dirname(at(path)), { recursive: true });
  await new Promise<void>((resolve) => server.listen(at(path), resolve));
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())));
  return () => reached;
}

/** Runs commands in another workspace: one in this could have begun meanwhile. */
async function elsewhere(): Promise<void> {
  const other = await toolContext();
  for (const argv of Array<string[]>(3).fill(['python3', '-c', 'print(1)']))
    await callTool({ kind: 'builtin', name: 'shell' }, { argv }, other);
}

beforeEach(async () => {
  context = await toolContext();
});

it.each([
  'app.sock',
  '.devenv/run/postgres/.s.PGSQL.5432',
  '.git/fsmonitor--daemon.ipc',
  'node_modules/.cache/dev/server.sock',
  'packages/web/build/deep/down/run/server.sock',
])('a command reaches nobody who listens at `%s` in the workspace', async (path) => {
  const reached = await listening(path);
  const connect = `s.connect('${path}'); print(s.recv(9))`;
  expect(await python(connect)).toMatch(/Connection refused|Permission denied|not a socket/);
  const before = reached();
  for (const script of [
    `os.rename('${path}', 'moved'); s.connect('moved'); print(s.recv(9))`,
    `os.remove('${path}')`,
    `os.link('${path}', 'moved'); s.connect('moved'); print(s.recv(9))`,
    ...(path.includes('/') ? [`os.rename('${path.split('/', 1)[0]}', 'moved')`] : []),
  ])
    expect([script, await python(script)]).toEqual([script, expect.stringMatching(/busy|cross-device|Read-only/)]);
  expect(await python(connect)).not.toContain('canary');
  expect([reached(), lstatSync(at(path)).isSocket(), existsSync(at('moved'))]).toEqual([before, true, false]);
});

it('a command reaches nobody who has begun to listen meanwhile, nor by a path from where he stands', async () => {
  expect(await python('print(1)')).toContain('"exit_code":0');
  const reached = await listening('late.sock');
  const script =
    "import socket, os; s = socket.socket(socket.AF_UNIX); s.bind('own.sock'); s.listen(); print(1); input()";
  mkdirSync(at('node_modules/deep'), { recursive: true });
  const server = spawn('python3', ['-c', script], { cwd: at('node_modules/deep') });
  onTestFinished(() => void server.kill());
  await new Promise((resolve) => server.stdout.once('data', resolve));
  for (const path of ['late.sock', 'node_modules/deep/own.sock'])
    expect(await python(`s.connect('${path}')`)).toMatch(/Connection refused|Permission denied|not a socket/);
  expect(reached()).toBe(0);
});

it('what a command listened at itself is removed by the next one', async () => {
  expect(await python("s.bind('own.sock'); s.listen()")).toContain('"exit_code":0');
  expect(await python("os.remove('own.sock'); s.bind('own.sock')")).toContain('"exit_code":0');
});

it('sockets that come and go hold up no command', async () => {
  await listening('tmp-a/db.sock');
  await listening('b.sock');
  const first = python("open('began', 'w'); exec('while not os.path.exists(\"go\"): pass')");
  await expect.poll(() => existsSync(at('began'))).toBe(true);
  await listening('node_modules/.cache/late.sock');
  rmSync(at('tmp-a'), { recursive: true });
  const connect = "print(s.connect_ex('b.sock') != 0, os.path.exists('tmp-a'))";
  expect(await python(connect)).toContain('True False');
  expect(await python("os.rename('b.sock', 'moved')")).toMatch(/busy|cross-device/);
  await python("open('go', 'w')");
  expect(await first).toContain('"exit_code":0');
});

it('no command begins among others that would mount a folder which may be exchanged meanwhile', async () => {
  await listening('tmp-a/db.sock');
  const first = python("open('began', 'w'); exec('while not os.path.exists(\"go\"): pass')");
  await expect.poll(() => existsSync(at('began'))).toBe(true);
  const second = python("print('went:', os.path.exists('go'))");
  await elsewhere();
  writeFileSync(at('go'), '');
  expect(await second).toContain('went: True');
  await first;
});

it('nor one where what is protected stands anew, which the others no longer hold', async () => {
  mkdirSync(at('.claude/agents'), { recursive: true });
  const first = python("open('began', 'w'); exec('while not os.path.exists(\"go\"): pass')");
  await expect.poll(() => existsSync(at('began'))).toBe(true);
  rmSync(at('.claude'), { recursive: true });
  mkdirSync(at('.claude/agents'), { recursive: true });
  const second = python("print('went:', os.path.exists('go'))");
  await elsewhere();
  writeFileSync(at('go'), '');
  expect(await second).toContain('went: True');
  await first;
});
