import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { StartedProcess } from '../../../processes/started-process.js';
import { RUN_TAG } from '../../../processes/tagged-processes.js';
import { closing, hostNetworks, rules } from './closed.js';
import type { NetworkPrograms } from './network.js';
import { NoNetwork } from './network.js';

const run = promisify(execFile);

/** Descriptor of the program by which it and this process tell one another how far they are. */
const TALK = 3;
/**
 * Says that the namespaces stand, closes what is to be closed, says so, waits for the network, and becomes the program.
 */
const HOLDER = [
  `echo >&${TALK}`,
  '"$1" "$2"',
  `echo >&${TALK}`,
  `read -r _ <&${TALK}`,
  'shift 2',
  `exec "$@" ${TALK}>&-`,
].join(' && ');
const READY_MS = 30_000;
/** How often it is looked whether this machine has got another address; less often where that takes long. */
const LOOK_MS = 50;
const LOOK_SHARE = 50;

/** A program that begins in namespaces of its own, whose network `attach` makes. */
export interface Held {
  file: string;
  args: string[];
  /**
   * To be called when it was started with one pipe. Throws `NoNetwork` where the program was not begun; else gives how
   * to end its network.
   */
  attach: (started: StartedProcess) => Promise<() => void>;
}

/**
 * A user-mode network (slirp4netns) for a program, which must let go of all rights itself: what it reaches, this
 * machine's own sockets reach for it, so that all of this machine is closed by rules in its network namespace, which it
 * cannot change. `tag`: of the command, by which what is left of its network is found.
 */
export function holdInNetwork(
  { file, args }: { file: string; args: string[] },
  programs: NetworkPrograms,
  tag: string,
): Held {
  const own = hostNetworks();
  return {
    file: programs.unshare,
    // Root gets a user namespace too: what goes wrong before the program lets go of its rights is no right over this
    // machine.
    args: [
      '--user',
      '--map-root-user',
      '--net',
      '/bin/sh',
      '-c',
      HOLDER,
      'sh',
      programs.nft,
      rules(own),
      file,
      ...args,
    ],
    attach: (started) => attach(started, { programs, tag, own }),
  };
}

async function attach(
  { pid, pipes }: StartedProcess,
  { programs, tag, own }: { programs: NetworkPrograms; tag: string; own: string[] },
): Promise<() => void> {
  const [talk] = pipes;
  if (talk === undefined) throw new Error('Expected a program with a pipe');
  talk.on('error', () => undefined); // Its end follows, and is what counts.
  const heard = lines(talk);
  if (!(await heard())) throw new NoNetwork('this machine gives it no namespaces');
  const slirp = startSlirp(programs.slirp4netns, pid, tag);
  try {
    const [isClosed] = await Promise.all([heard(), slirp.ready]);
    if (!isClosed) throw new NoNetwork('the rules of nftables that it needs are refused here');
    const stopLooking = keepClosed(pid, programs, own, slirp.end);
    talk.end('\n');
    return () => {
      stopLooking();
      slirp.end();
    };
  } catch (error) {
    slirp.end();
    throw error;
  }
}

/** Gives whether one more line came, before the end. */
function lines(talk: Duplex): () => Promise<boolean> {
  let open = 0;
  let isOver = false;
  let wake = (): void => undefined;
  talk.on('data', (chunk: Buffer) => {
    open += chunk.filter((byte) => byte === 10).length;
    wake();
  });
  talk.once('close', () => {
    isOver = true;
    wake();
  });
  talk.once('end', () => talk.destroy());
  return async () => {
    while (open === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
    open -= 1;
    return open >= 0;
  };
}

interface Slirp {
  /** Rejects with `NoNetwork`. */
  ready: Promise<void>;
  end: () => void;
}

/** Ends with this process, too: its last descriptor closes then. */
function startSlirp(file: string, pid: number, tag: string): Slirp {
  const args = [
    '--configure',
    '--mtu=65520',
    '--disable-host-loopback',
    '--enable-sandbox',
    '--enable-seccomp',
    '--ready-fd=3',
    '--exit-fd=4',
    String(pid),
    'tap0',
  ];
  const child = spawn(file, args, {
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', [RUN_TAG]: tag },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  child.on('error', () => undefined); // `ready` tells of it.
  const ready = readiness(child);
  ready.catch(() => undefined); // Whoever waits for it hears of it.
  return { ready, end: () => child.kill('SIGKILL') };
}

async function readiness(child: ChildProcess): Promise<void> {
  const [, , stderr, ready, exit] = child.stdio as [null, null, Readable, Duplex, Duplex]; // as they were asked for
  const said: Buffer[] = [];
  stderr.on('data', (chunk: Buffer) => said.push(chunk));
  [ready, exit].forEach((pipe) => pipe.on('error', () => undefined));
  const timer = setTimeout(() => child.kill('SIGKILL'), READY_MS);
  const [isReady] = await Promise.race([
    once(ready, 'data').then(() => [true]),
    once(child, 'close').then(() => [false]),
    once(child, 'error').then(() => [false]),
  ]);
  clearTimeout(timer);
  if (isReady !== true)
    throw new NoNetwork(
      `slirp4netns failed: ` +
        `${Buffer.concat(said).toString('utf8').trim().split('\n').slice(-2).join('; ').slice(0, 300)}`,
    );
}

/** Closes what this machine gets while the program runs; where that fails, its network ends. */
function keepClosed(pid: number, { nsenter, nft }: NetworkPrograms, own: string[], giveUp: () => void): () => void {
  const known = new Set(own);
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const began = performance.now();
    const more = hostNetworks().filter((network) => !known.has(network));
    const took = performance.now() - began;
    if (more.length > 0)
      await run(nsenter, ['--target', String(pid), '--user', '--net', '--preserve-credentials', nft, closing(more)], {
        env: {},
      });
    more.forEach((network) => known.add(network));
    if (!isOver) plan(Math.max(LOOK_MS, took * LOOK_SHARE));
  };
  const plan = (afterMs: number): void => {
    timer = setTimeout(() => void look().catch(giveUp), afterMs);
  };
  plan(0);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
