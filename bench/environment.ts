import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode } from '@temporalio/worker';
import { openStore } from '../src/store/local-store.js';
import { choosePorts, startServer, stopServer } from '../src/workers/embedded-server.js';
import { findTemporal } from '../src/workers/temporal-binary.js';
import { startModelEndpoint } from '../test/fakes/model-endpoint.js';
import { AGENT_FILE } from './definitions.js';
import { ByHand } from './by-hand/client.js';
import { Ours } from './ours.js';

/** Both sides on one embedded server, a worker process each, and the endpoint that answers both at once. */
export interface Bench {
  ours: Ours;
  byHand: ByHand;
  /** The project's folder, and where its definitions are. */
  folder: string;
  address: string;
  /** Path of the Temporal program. */
  temporal: string;
  /** One more worker of the hand-written side, on another server; gives what ends it. */
  startByHandWorker(address: string): Promise<() => Promise<void>>;
}

const HERE = dirname(fileURLToPath(import.meta.url));
const NO_PORTS = { grpc: null, ui: null, codec: null };

/** Starts everything, runs `act`, and ends everything. */
export async function withBench<T>(say: (line: string) => void, act: (bench: Bench) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'perdure-bench-'));
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    return await act(await start(folder, ends, say));
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function start(folder: string, ends: (() => Promise<unknown>)[], say: (line: string) => void): Promise<Bench> {
  const stateDir = join(folder, '.perdure');
  await mkdir(join(folder, 'definitions', 'agents'), { recursive: true });
  await writeFile(join(folder, 'definitions', 'agents', 'bench-agent.yml'), AGENT_FILE);
  await writeFile(join(folder, 'perdure.yml'), '{}\n');
  const store = await openStore(stateDir);
  await mkdir(join(stateDir, 'logs'), { recursive: true });

  const endpoint = await startModelEndpoint(() => ({ text: 'done' }));
  ends.push(() => endpoint.close());

  const { path: temporal } = await findTemporal({ onProgress: say });
  const server = await startServer(temporal, stateDir, await choosePorts(NO_PORTS, 1));
  ends.push(() => stopServer(server));
  const connection = await Connection.connect({ address: server.address });
  ends.push(() => connection.close());

  const env = { ...process.env, ANTHROPIC_API_KEY: 'bench', ANTHROPIC_BASE_URL: endpoint.url, BENCH_ADDRESS: server.address, BENCH_STATE: stateDir };
  const bundle = join(folder, 'by-hand.js');
  const { code } = await bundleWorkflowCode({ workflowsPath: join(HERE, 'by-hand', 'workflows.js'), logger: quiet });
  await writeFile(bundle, code);
  ends.push(await startWorker('our-worker.js', { ...env, BENCH_TASK_QUEUE: 'ours' }));
  const startByHandWorker = (address: string): Promise<() => Promise<void>> =>
    startWorker(join('by-hand', 'worker.js'), { ...env, BENCH_ADDRESS: address, BENCH_TASK_QUEUE: 'by-hand', BENCH_BUNDLE: bundle });
  ends.push(await startByHandWorker(server.address));

  const client = new Client({ connection });
  return { ours: new Ours(client, store, folder), byHand: new ByHand(client), folder, address: server.address, temporal, startByHandWorker };
}

const quiet = { log: () => {}, trace: () => {}, debug: () => {}, info: () => {}, warn: console.error, error: console.error };

async function startWorker(file: string, env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const child = fork(join(HERE, file), { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`The worker ${file} ended before it was ready`)));
  await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => {}); // From here on its end is wanted.
  return () => end(child);
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
