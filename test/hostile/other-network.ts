import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * A neighbour of this machine in a network namespace of its own, and addresses of this machine's that are there for a
 * test. Needs root.
 */
export interface OtherNetwork {
  /** Its address, and this machine's towards it. */
  there: string;
  here: string;
  /** Gives this machine one more address. */
  addAddress: (address: string) => void;
  /** Runs a program there until the end of the test, once it has written a line. */
  start: (file: string, args: string[]) => Promise<void>;
  remove: () => void;
}

const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8' });

/**
 * Makes it, from a network for documents (198.51.100.0/24): `number` from 0 to 31 tells those of several tests apart.
 */
export function makeOtherNetwork(number: number): OtherNetwork {
  const name = `perdure-t${process.pid}`;
  const [ours, theirs] = [`pt${process.pid}a`, `pt${process.pid}b`];
  const [here, there] = [`198.51.100.${number * 8 + 1}`, `198.51.100.${number * 8 + 2}`];
  const children: ReturnType<typeof spawn>[] = [];
  ip('netns', 'add', name);
  ip('link', 'add', ours, 'type', 'veth', 'peer', 'name', theirs, 'netns', name);
  ip('addr', 'add', `${here}/30`, 'dev', ours);
  ip('link', 'set', ours, 'up');
  ip('-n', name, 'addr', 'add', `${there}/30`, 'dev', theirs);
  ip('-n', name, 'link', 'set', theirs, 'up');
  return {
    there,
    here,
    addAddress: (address) => void ip('addr', 'add', `${address}/32`, 'dev', ours),
    start: async (file, args) => {
      const child = spawn('ip', ['netns', 'exec', name, file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      await once(child.stdout, 'data');
    },
    remove: () => {
      children.forEach((child) => child.kill('SIGKILL'));
      ip('netns', 'del', name);
      try {
        ip('link', 'del', ours);
      } catch {
        // It has gone with its neighbour.
      }
    },
  };
}
