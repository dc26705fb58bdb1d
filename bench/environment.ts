import { fork } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { openStore } from '../src/store/local-store.js';
import { findTemporal } from '../src/workers/temporal-binary/find.js';
import { startModelEndpoint } from '../test/fakes/model-endpoint.js';
import { PAGE, answerTo } from './answers.js';
import { AGENT_FILE, READER_FILE } from './definitions.js';
import { ByHand } from './by-hand/client.js';
import { Ours } from './ours.js';
import { startOwnServer } from './own-server.js';
import type { Peer, PeerName } from './peer.js';
import { startPeer } from './peer.js';
import { BUILT, startWorker } from './worker-process.js';
import type { WorkerProcess } from './worker-process.js';

export type Side = 'ours' | 'by-hand';

/** What a worker process runs: a side, or the hand-written side in a worker like ours. */
export type Runs = Side | 'by-hand-on-ours';

export interface WorkerWishes {
  taskQueue: string;
  /** Of another server than the embedded one. */
  address?: string;
  /** Of the database that has its store; left out for the folder. */
  storeUrl?: string;
  /** Flags of Node. */
  execArgv?: string[];
}

/** Both sides, a worker process each. */
export interface Pair {
  ours: Ours;
  byHand: ByHand;
}

/** Both sides on one embedded server, a worker process each, and the endpoint that answers both at once. */
export interface Bench extends Pair {
  /** All pairs of workers there are; the first is the one above. */
  pairs: [Pair, ...Pair[]];
  /** The project's folder, and where its definitions are. What lies in it goes with it. */
  folder: string;
  address: string;
  /** CPU time of the server since it started, in milliseconds. */
  serverCpu: () => Promise<number>;
  /** Path of the Temporal program. */
  temporal: string;
  /** Path of the hand-written side's workflow bundle. */
  byHandBundle: string;
  /** Another system that does the same work; whoever asks for it ends it. */
  startPeer: (name: PeerName) => Promise<Peer>;
  /** One more worker; whoever asks for it ends it. */
  startWorker(runs: Runs, wishes: WorkerWishes): Promise<WorkerProcess>;
}

/** Workers a side, unless told otherwise. */
const PAIRS = 5;

const FILES = {
  ours: 'our-worker.js',
  'by-hand': join('by-hand', 'worker.js'),
  'by-hand-on-ours': 'by-hand-on-ours.js',
};

interface Setting {
  say: (line: string) => void;
  /** Workers a side. */
  workers?: number;
}

/** Starts everything, runs `act`, and ends everything. When this process is killed, the guard does. */
export async function withBench<T>({ say, workers = PAIRS }: Setting, act: (bench: Bench) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'perdure-bench-'));
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  guard(folder);
  try {
    return await act(await start(folder, ends, { say, workers }));
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** The server is in a session of its own, as our host's: no signal to us ends it. */
function guard(folder: string): void {
  const child = fork(join(BUILT, 'guard.js'), [folder], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
}

async function start(
  folder: string,
  ends: (() => Promise<unknown>)[],
  { say, workers }: Required<Setting>,
): Promise<Bench> {
  const stateDir = join(folder, '.perdure');
  await mkdir(join(folder, 'definitions', 'agents'), { recursive: true });
  await writeFile(join(folder, 'definitions', 'agents', 'bench-agent.yml'), AGENT_FILE);
  await writeFile(join(folder, 'definitions', 'agents', 'bench-reader.yml'), READER_FILE);
  await writeFile(join(folder, PAGE.path), `${'x'.repeat(79)}\n`.repeat(PAGE.bytes / 80));
  await writeFile(join(folder, 'perdure.yml'), '{}\n');
  const store = await openStore(stateDir);

  const endpoint = await startModelEndpoint(answerTo);
  ends.push(() => endpoint.close());

  const { path: temporal } = await findTemporal({ onProgress: say });
  const server = await startOwnServer(temporal, stateDir);
  ends.push(() => server.close());

  const byHandBundle = join(folder, 'by-hand.js');
  const { code } = await bundleWorkflowCode({ workflowsPath: join(BUILT, 'by-hand', 'workflows.js'), logger: quiet });
  await writeFile(byHandBundle, code);
  const env = {
    ...process.env,
    ANTHROPIC_API_KEY: 'bench',
    ANTHROPIC_BASE_URL: endpoint.url,
    BENCH_STATE: stateDir,
    BENCH_BUNDLE: byHandBundle,
  };
  const startOne: Bench['startWorker'] = (runs, { taskQueue, address = server.address, storeUrl, execArgv }) => {
    const place = { BENCH_ADDRESS: address, BENCH_TASK_QUEUE: taskQueue };
    return startWorker(FILES[runs], { ...env, ...place, BENCH_STORE_URL: storeUrl }, execArgv);
  };
  const startOnePeer: Bench['startPeer'] = (name) => startPeer(name, { folder, baseUrl: endpoint.url });
  const { client } = server;
  const pairOf = async (number: number): Promise<Pair> => {
    const queues = { ours: `ours-${number}`, 'by-hand': `by-hand-${number}` };
    for (const side of ['ours', 'by-hand'] as const) {
      const worker = await startOne(side, { taskQueue: queues[side] });
      ends.push(() => worker.end());
    }
    return {
      ours: new Ours(client, { store, folder, taskQueue: queues.ours }),
      byHand: new ByHand(client, queues['by-hand']),
    };
  };
  const pairs: Bench['pairs'] = [await pairOf(1)];
  for (let number = 2; number <= workers; number++) pairs.push(await pairOf(number));
  return {
    ...pairs[0],
    pairs,
    folder,
    address: server.address,
    serverCpu: server.cpu,
    temporal,
    byHandBundle,
    startWorker: startOne,
    startPeer: startOnePeer,
  };
}

const quiet = {
  log: () => {},
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: console.error,
  error: console.error,
};
