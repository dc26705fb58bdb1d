import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../src/store/folders/package-root.js';
import { startPostgres } from '../test/faults/postgres/server.js';

export type PeerName = 'restate' | 'dbos' | 'langgraph';

/** One run of a peer: the same work as on our side. */
export interface PeerJob {
  work: string;
  steps: number;
  folder: string;
  path: string;
  prompt: string;
}

/** Another system that does the same work, in a process of its own. */
export interface Peer {
  run(job: PeerJob): Promise<void>;
  end(): Promise<void>;
}

const FOLDER = join(packageRoot(), 'bench');

/** Tells whether `npm ci --prefix bench` has been done. */
export function arePeersInstalled(): boolean {
  return existsSync(join(FOLDER, 'node_modules', '@langchain', 'langgraph'));
}

/** Starts it with a folder of its own, and DBOS with a PostgreSQL; resolves when it answers. */
export async function startPeer(
  name: PeerName,
  { folder, baseUrl }: { folder: string; baseUrl: string },
): Promise<Peer> {
  const own = join(folder, `peer-${name}`);
  await mkdir(own, { recursive: true });
  // PostgreSQL is another user, who has to come to its own folder.
  if (name === 'dbos') await Promise.all([folder, own].map((one) => chmod(one, 0o711)));
  const database = name === 'dbos' ? await startPostgres(own) : null;
  // The folder on the command line lets the guard find it.
  const child = fork(join(FOLDER, 'peers', `${name}.mjs`), [own], {
    cwd: own,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    env: {
      PATH: process.env['PATH'],
      HOME: own,
      ANTHROPIC_API_KEY: 'bench',
      ANTHROPIC_BASE_URL: baseUrl,
      BENCH_PEER: own,
      ...(database === null ? {} : { BENCH_DATABASE: await database.createDatabase() }),
    },
  });
  const talk = talkTo(child);
  await talk.ready;
  return {
    run: talk.run,
    async end() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await gone;
      await database?.remove();
      await rm(own, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function talkTo(child: ChildProcess): { ready: Promise<void>; run: (job: PeerJob) => Promise<void> } {
  const waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  let runs = 0;
  const answerTo = (id: number): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
    });
  child.on('message', ({ id, error }: { id: number; error?: string }) => {
    const answer = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) answer?.resolve();
    else answer?.reject(new Error(error));
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The peer ended with ${String(code)}`));
  });
  return {
    ready: answerTo(0),
    run(job) {
      runs += 1;
      const ended = answerTo(runs);
      child.send({ id: runs, job });
      return ended;
    },
  };
}
