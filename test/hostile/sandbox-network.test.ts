// @module-tag sandbox
// @module-tag sandbox-network
// @module-tag python3
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hostNetworks, localNetworks } from '../../src/activities/tools/shell/network/closed.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';
import type { OtherNetwork } from './other-network.js';
import { makeOtherNetwork } from './other-network.js';

/*
 * Commands in the sandbox that have the network: the outside is a neighbour in a network namespace of its own, and this
 * machine listens on all of its addresses, with some more that it has for this test.
 */

/** Connects to each address, several at once, and prints which of them answered. */
const ASK = `
import socket, sys, concurrent.futures as f
port = int(sys.argv[1])
def ask(address):
    try:
        with socket.create_connection((address, port), timeout=8) as s:
            return address + " " + s.recv(99).decode()
    except OSError as error:
        return address + " " + type(error).__name__
print("\\n".join(f.ThreadPoolExecutor(16).map(ask, sys.argv[2:])))
`;
const METADATA = '169.254.169.254';

let context: Awaited<ReturnType<typeof toolContext>>;
let other: OtherNetwork;
let server: Server;
let port: number;
let asked = 0;

beforeAll(async () => {
  other = makeOtherNetwork(0);
  [METADATA, '198.51.100.5', '10.99.98.97', '192.168.255.254', '100.64.7.7'].forEach(other.addAddress);
  server = createServer((socket) => {
    asked += 1;
    socket.end('CANARY');
  });
  await new Promise<void>((resolve) => server.listen(0, '::', resolve)); // all addresses of both families
  port = (server.address() as AddressInfo).port; // it listens on a port
  await other.start('python3', [
    '-uc',
    `import socketserver\nclass H(socketserver.BaseRequestHandler):\n  def handle(self): ` +
      `self.request.sendall(b"OUTSIDE")\ns = socketserver.ThreadingTCPServer(("", ${port}), ` +
      `H)\nprint("ready")\ns.serve_forever()`,
  ]);
  context = await toolContext({}, await mkdtemp(join(tmpdir(), 'perdure-network-')));
  await writeFile(join(context.workspace, 'ask.py'), ASK);
});

afterAll(async () => {
  server.close();
  other.remove();
  await rm(dirname(context.workspace), { recursive: true, force: true });
});

beforeEach(() => {
  asked = 0;
  context.permissions.network = true;
});

async function run(argv: string[]): Promise<{ stdout: string; stderr: string }> {
  const result = await callTool({ kind: 'builtin', name: 'shell' }, { argv }, context);
  if ('denied' in result || result.is_error) throw new Error(JSON.stringify(result));
  return result.content as { stdout: string; stderr: string }; // of a program that ran
}

const ask = async (...addresses: string[]): Promise<string> => {
  const { stdout, stderr } = await run(['python3', 'ask.py', String(port), ...addresses]);
  expect(stderr).toBe('');
  return stdout;
};

describe('a command in the sandbox that has the network', () => {
  it('reaches the outside', async () => {
    expect(await ask(other.there)).toBe(`${other.there} OUTSIDE\n`);
  });

  it(
    'reaches no address of this machine: loopback, interfaces, metadata, what its network calls its host and ' +
      'resolver',
    async () => {
      const own = Object.values(networkInterfaces()).flatMap((found = []) =>
        found.map(({ address, scopeid }) => (scopeid === undefined || scopeid === 0 ? address : `${address}%tap0`)),
      );
      const told = await ask(
        ...own,
        '127.0.0.1',
        '127.0.0.2',
        '0.0.0.0',
        '::1',
        '::',
        '10.0.2.2',
        '10.0.2.3',
        '10.0.2.100',
        '255.255.255.255',
        METADATA,
        '198.51.100.5',
        other.here,
        '10.99.98.97',
        '192.168.255.254',
        '100.64.7.7',
        `::ffff:${other.here}`,
        '::ffff:127.0.0.1',
        '::ffff:7f00:1',
        '64:ff9b::c633:6401',
        'fd00:ec2::254',
      );
      expect(told).not.toContain('CANARY');
      expect(told.split('\n').length).toBeGreaterThan(20);
      expect(asked).toBe(0);
    },
  );

  it('does not reach an address that this machine gets while it runs', async () => {
    const late = '198.51.100.6';
    const running = run([
      'python3',
      '-c',
      [
        'import os, socket, time',
        'open("begun", "w").close()',
        'while not os.path.exists("added"): time.sleep(0.01)',
        'def ask():',
        `  try: return socket.create_connection(("${late}", ${port}), timeout=5).recv(9).decode()`,
        '  except OSError as error: return type(error).__name__',
        // What is looked for is seen soon, not at once: `SECURITY.md` says so.
        'while ask() == "CANARY": time.sleep(0.01)',
        'print([ask() for n in range(20)])',
      ].join('\n'),
    ]);
    await expect.poll(() => existsSync(join(context.workspace, 'begun'))).toBe(true);
    other.addAddress(late);
    await writeFile(join(context.workspace, 'added'), '');
    const { stdout } = await running;
    expect(stdout).not.toContain('CANARY');
    expect(stdout.split(',')).toHaveLength(20);
  });

  it('cannot get around that by the device, by multicast, or by other rules', async () => {
    const { stdout } = await run([
      'python3',
      '-c',
      `
import socket, subprocess, struct
def tried(what, act):
    try: print(what, act())
    except OSError as error: print(what, type(error).__name__)
def by_device(address):
    s = socket.socket(); s.settimeout(3); s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"tap0")
    s.connect((address, ${port})); return s.recv(9)
for address in ["${other.here}", "127.0.0.1", "${METADATA}", "10.99.98.97", "10.0.2.2"]:
    tried("device", lambda: by_device(address))
tried("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
tried("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
for line in ["nft flush ruleset", "ip route add local 1.1.1.1 dev lo", "ip link set tap0 down"]:
    argv = line.split()
    try: print(argv[0], subprocess.run(argv, capture_output=True).returncode)
    except OSError as error: print(argv[0], type(error).__name__)
`,
    ]);
    expect(stdout).not.toContain('CANARY');
    expect(stdout).not.toMatch(/^(nft|ip) 0$/m);
    expect(asked).toBe(0);
  });

  it('sees a network of its own in /proc, and this machine none of its sockets', async () => {
    const { stdout } = await run(['cat', '/proc/net/tcp', '/proc/net/tcp6', '/proc/net/unix']);
    expect(stdout.toUpperCase()).not.toContain(`:${port.toString(16).toUpperCase().padStart(4, '0')}`);
    expect(stdout).not.toContain('@');
  });
});

describe('an installation that a person approved', () => {
  it('has the outside, and not this machine', async () => {
    context.permissions.network = false;
    context.permissions.commands.unshift({ words: 'python3 ask.py', class: 'install' });
    const result = await callTool(
      { kind: 'builtin', name: 'shell' },
      { argv: ['python3', 'ask.py', String(port), other.there, '127.0.0.1', other.here] },
      { ...context, permissions: { ...context.permissions, asking: 'allow' } },
    );
    context.permissions.commands.shift();
    expect(result).toMatchObject({ content: { stdout: expect.stringContaining('OUTSIDE') } });
    expect(JSON.stringify(result)).not.toContain('CANARY');
    expect(asked).toBe(0);
  });
});

describe('the addresses of this machine', () => {
  it('are all that the kernel takes for local, of interfaces that are down too', () => {
    expect(hostNetworks()).toEqual(expect.arrayContaining([`${other.here}/32`, '198.51.100.5/32']));
  });

  it.each([
    [
      'Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 192.0.2.0\n        /24 link UNICAST\n     |-- 192.0.2.2\n        ' +
        '/32 host LOCAL\n',
      ['192.0.2.2/32'],
    ],
    [
      'Local:\n     |-- 9.9.9.0\n        /32 link BROADCAST\n        /24 host LOCAL\n     |-- ' +
        '9.9.9.255\n        /32 link BROADCAST\n',
      ['9.9.9.0/24'],
    ],
    ['', []],
  ])('are read from %j', (trie, networks) => {
    expect(localNetworks(trie)).toEqual(networks);
  });
});
