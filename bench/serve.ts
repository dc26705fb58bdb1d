import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { NativeConnection, Worker } from '@temporalio/worker';
import { collectGarbage } from './collect-garbage.js';
import type { Question } from './worker-process.js';

/** To be called first: what a worker tells about itself is not what a benchmark prints. */
export function quietRuntime(): void {
  Runtime.install({ logger: new DefaultLogger('WARN') });
}

/** Runs a worker until whoever forked this process says stop or goes away. Tells its memory and CPU time when asked. */
export async function serve(worker: Worker, connection: NativeConnection): Promise<void> {
  const stop = (): void => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
  process.on('message', (question: Question) => void answer(question).then((number) => process.send?.(number)));
  process.send?.('ready');
  await worker.run();
  await connection.close();
  // An open channel would keep the process alive.
  if (process.connected) process.disconnect();
}

async function answer(question: Question): Promise<number> {
  if (question === 'cpu') return cpuTime();
  await collectGarbage();
  return process.memoryUsage.rss();
}

/** Of all threads, in milliseconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
