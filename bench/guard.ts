// Cleans up after a benchmark that was killed. Its channel closes when the benchmark ends, however that happened; then
// nothing may be left of the folder or of processes that name it on their command line (servers name their database).
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readHostFile } from '../src/workers/host/host-files.js';
import { isRunning, listProcesses } from '../src/workers/processes/processes.js';

const folder = process.argv[2] ?? '';

process.once('disconnect', () => void cleanUp());

async function cleanUp(): Promise<void> {
  // Hosts first, or they would start their servers again.
  const projects = await readdir(folder).catch(() => []);
  for (const project of projects) {
    const host = await readHostFile(join(folder, project, '.perdure')).catch(() => null);
    if (host !== null && (await isRunning(host.host))) kill(host.host.pid);
  }
  for (let left = true; left; await pause(50)) {
    const processes = (await listProcesses()).filter(
      ({ pid, argv }) => pid !== process.pid && argv.some((word) => word.includes(folder)),
    );
    left = processes.length > 0;
    for (const { pid } of processes) kill(pid);
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}
