import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** A network namespace with a loopback of its own, from which servers of this machine are reached and nothing else. */
export interface OwnNetwork {
  /** Words before a program that runs there. */
  inside: string[];
  /** Gives the address, from there, of what has this one on this machine's loopback. */
  reach: (url: string) => Promise<string>;
  /** Parts it from all servers: what is sent there is lost, and nobody is told. */
  part: () => void;
  /** The reverse. */
  join: () => void;
}

const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8' });

/**
 * Makes one until the end of the test, of a network for documents (203.0.113.0/24): `number` from 0 to 63 tells it from
 * others. Needs root. It has no name that others could take away: a process holds it.
 */
export async function makeOwnNetwork(number: number): Promise<OwnNetwork> {
  const words = ['--net', 'sh', '-c', 'echo; exec sleep infinity'];
  const holder = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  const inside = ['nsenter', `--net=/proc/${holder.pid ?? 0}/ns/net`];
  const there = (...args: string[]): Buffer => execFileSync('nsenter', [inside[1] ?? '', 'ip', ...args]);
  const [ours, theirs] = [`pn${process.pid}a${number}`, `pn${process.pid}b${number}`];
  const [address, other] = [`203.0.113.${number * 4 + 1}`, `203.0.113.${number * 4 + 2}`];
  ip('link', 'add', ours, 'type', 'veth', 'peer', 'name', theirs, 'netns', String(holder.pid));
  // What still runs there keeps the namespace, and so the address.
  onTestFinished(() => void ip('link', 'del', ours));
  ip('addr', 'add', `${address}/30`, 'dev', ours);
  ip('link', 'set', ours, 'up');
  there('link', 'set', 'lo', 'up');
  there('addr', 'add', `${other}/30`, 'dev', theirs);
  there('link', 'set', theirs, 'up');
  return {
    inside,
    reach: async (url) => {
      const { host, port } = new URL(url);
      return url.replace(host, `${address}:${await lead(address, Number(port))}`);
    },
    part: () => void ip('link', 'set', ours, 'down'),
    join: () => void ip('link', 'set', ours, 'up'),
  };
}

/** Has a port of an address lead to one of the loopback; gives its number. */
async function lead(address: string, port: number): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.end();
      });
      one.pipe(other);
    }
  });
  server.listen(0, address);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return (server.address() as AddressInfo).port; // it listens on a port
}
