// @module-tag sandbox
// @module-tag sandbox-network
// @module-tag git
// @module-tag python3
import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { copyFileSync, existsSync, lstatSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import { homedir, hostname, networkInterfaces, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callTool, toolContext } from '../../activities/helpers/tool-context.js';

/*
 * A program in the sandbox tries to get out (`tries.py`, one start for all tries), without and with the network. What
 * must not get out is a canary: a file, a variable, sockets, memory, a process, this machine's settings. What the host
 * or a person would run must not be left behind.
 */

const SECRET = 'canary-escape-93ab';
const SETTINGS = [
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/modprobe',
  '/proc/sys/kernel/hostname',
  '/proc/sys/user/max_user_namespaces',
  '/proc/sys/kernel/unprivileged_bpf_disabled',
];
const settings = (): string[] => [
  ...SETTINGS.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8')),
  hostname(),
];

let context: Awaited<ReturnType<typeof toolContext>>;
let outside: string;
let shm: string;
let victim: ReturnType<typeof spawn>;
let before: string[];
const servers: Server[] = [];
const group = createSocket({ type: 'udp4', reuseAddr: true });
let heard = 0;

async function listenOn(address: string | number): Promise<Server> {
  const server = createServer((socket) => void socket.end(SECRET));
  await new Promise<void>((resolve) =>
    typeof address === 'string' ? server.listen(address, resolve) : server.listen(address, '::', resolve),
  );
  servers.push(server);
  return server;
}

let told: Record<'without the network' | 'with the network', [string, string][]>;

beforeAll(async () => {
  process.env['PERDURE_CANARY'] = SECRET;
  context = await toolContext({}, await mkdtemp(join(tmpdir(), 'perdure-out-')));
  const { workspace } = context;
  outside = join(dirname(workspace), 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret.txt'), SECRET);
  await mkdir(join(workspace, '.perdure'));
  await writeFile(join(workspace, '.perdure', 'secret.txt'), SECRET);
  await writeFile(join(workspace, 'a.txt'), 'a');
  await symlink(join(outside, 'secret.txt'), join(workspace, 'link'));
  await symlink(outside, join(workspace, 'folder'));
  execFileSync('git', ['init', '-q', workspace]);
  copyFileSync(fileURLToPath(new URL('./tries.py', import.meta.url)), join(workspace, 'tries.py'));
  shm = `perdure-${process.pid}`;
  await writeFile(join('/dev/shm', shm), SECRET);
  victim = spawn('sleep', ['1000'], { env: { PERDURE_CANARY: SECRET }, cwd: outside });
  const port = ((await listenOn(0)).address() as AddressInfo).port; // it listens on a port
  await listenOn(join(outside, 'socket'));
  await listenOn(`\0perdure-${process.pid}`);
  await new Promise<void>((resolve) => group.bind(port, resolve));
  ['224.0.0.251', '239.1.2.3'].forEach((address) => group.addMembership(address, '127.0.0.1'));
  group.on('message', () => (heard += 1));
  before = settings();
  const addresses = [
    ...Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address)),
    '127.0.0.2',
    '0.0.0.0',
    '10.0.2.2',
    '10.0.2.3',
    '169.254.169.254',
    '::1',
    '::ffff:127.0.0.1',
  ];
  const host = {
    secret: SECRET,
    file: join(outside, 'secret.txt'),
    home: homedir(),
    shm,
    key: process.pid,
    // The ways to what is mounted there: the workspace, and folders of programs where the checkout lies there too.
    below_tmp: [workspace, ...(process.env['PATH'] ?? '').split(':')]
      .filter((path) => path.startsWith('/tmp/'))
      .map((path) => path.split('/')[2]),
    socket: join(outside, 'socket'),
    abstract: `perdure-${process.pid}`,
    addresses,
    port,
    victim: victim.pid,
    memory: totalmem(),
  };
  const tried = async (network: boolean): Promise<[string, string][]> => {
    context.permissions.network = network;
    const result = await callTool(
      { kind: 'builtin', name: 'shell' },
      { argv: ['python3', 'tries.py', JSON.stringify(host)] },
      context,
    );
    const log = context.logged.splice(0).join('');
    // What was left is told of as a failure of the call.
    if ('denied' in result) throw new Error(result.denied);
    // as `tries.py` writes them
    return log.split('\n').flatMap((line) => (line.startsWith('["') ? [JSON.parse(line) as [string, string]] : []));
  };
  told = { 'without the network': await tried(false), 'with the network': await tried(true) };
});

afterAll(async () => {
  delete process.env['PERDURE_CANARY'];
  servers.forEach((server) => server.close());
  group.close();
  victim.kill('SIGKILL');
  await rm(join('/dev/shm', shm), { force: true });
  await rm(dirname(context.workspace), { recursive: true, force: true });
});

describe.each(['without the network', 'with the network'] as const)('a program in the sandbox, %s,', (which) => {
  it('has tried everything', () => {
    expect(told[which].length).toBeGreaterThan(150);
    expect(told[which].at(-1)?.[0]).toBe('processes left');
  });

  it('got through nowhere', () => {
    expect(told[which].filter(([, what]) => what.startsWith('GOT') || what.includes(SECRET))).toEqual([]);
  });
});

describe('this machine, after that,', () => {
  it('is as it was: files, settings, processes', async () => {
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
    expect((await readdir(outside)).sort()).toEqual(['secret.txt', 'socket']);
    expect(settings()).toEqual(before);
    expect(victim.exitCode ?? victim.signalCode).toBeNull();
    expect(heard).toBe(0);
    expect(Date.now()).toBeGreaterThan(Date.parse('2024-01-01'));
  });

  it("has nothing in the workspace that it, or a person's tools, would run", async () => {
    const inside = (path: string): string => join(context.workspace, path);
    expect((await readdir(context.workspace)).sort()).toEqual([
      '.git',
      '.perdure',
      'a.txt',
      'folder',
      'left',
      'link',
      'tries.py',
    ]);
    expect(readFileSync(inside('.git/config'), 'utf8')).not.toContain('x\n');
    expect(existsSync(inside('.git/hooks/post-checkout'))).toBe(false);
    expect(lstatSync(inside('left')).mode & 0o6000).toBe(0);
  });

  it('runs nothing of it any more: what was to appear later does not', async () => {
    // What is left would see this, and make `late`.
    await writeFile(join(context.workspace, 'ended'), '');
    const since = performance.now();
    await expect.poll(() => performance.now() - since > 1_500, { interval: 100 }).toBe(true);
    expect(existsSync(join(context.workspace, 'late'))).toBe(false);
  });
});
