import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WORKER_FLAGS } from '../src/workers/worker/worker-options.js';

/** A worker in a process of its own. */
export interface WorkerProcess {
  /** Resident memory once what no thread needs any more is collected, in bytes. */
  memory(): Promise<number>;
  /** CPU time of all its threads since it started, in milliseconds. */
  cpu(): Promise<number>;
  end(): Promise<void>;
}

/** What a worker process tells of itself; a replayer replays instead. */
export type Question = 'memory' | 'cpu' | 'replay';

/** A process of the benchmark that answers questions with numbers. */
export interface AskedProcess {
  ask: (question: Question) => Promise<number>;
  end: () => Promise<void>;
}

/** The folder of the built benchmark. */
export const BUILT = dirname(fileURLToPath(import.meta.url));

/** Starts `file` of the built benchmark, and waits until its worker is about to poll. */
export async function startWorker(
  file: string,
  env: NodeJS.ProcessEnv,
  execArgv: string[] = [],
): Promise<WorkerProcess> {
  const { ask, end } = await startProcess(file, env, execArgv);
  return { memory: () => ask('memory'), cpu: () => ask('cpu'), end };
}

/** Starts `file` of the built benchmark, and waits until it says that it is ready. */
export async function startProcess(
  file: string,
  env: NodeJS.ProcessEnv,
  execArgv: string[] = [],
): Promise<AskedProcess> {
  const child = fork(join(BUILT, file), {
    env,
    execArgv: ['--enable-source-maps', ...WORKER_FLAGS, ...execArgv],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await answerOf(child, file);
  return {
    ask: async (question) => {
      const answer = answerOf(child, file);
      child.send(question);
      return Number(await answer);
    },
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function answerOf(child: ChildProcess, file: string): Promise<unknown> {
  const abort = new AbortController();
  const failed = once(child, 'exit', { signal: abort.signal }).then(() =>
    Promise.reject(new Error(`The worker ${file} ended by itself`)),
  );
  failed.catch(() => {}); // Also told by the race, or its end is wanted.
  try {
    const [answer] = (await Promise.race([once(child, 'message'), failed])) as [unknown];
    return answer;
  } finally {
    abort.abort();
  }
}
