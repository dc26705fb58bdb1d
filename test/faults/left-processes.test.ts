// @module-tag avrdude
// @seconds 30
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';
import { describe, expect, it } from 'vitest';
import { listTagged } from '../../src/activities/processes/tagged-processes.js';
import { listProcesses } from '../../src/workers/processes/processes.js';
import { closeBoards, bytesOfPages, hexOf } from '../devices/boards.js';
import type { Project } from './project.js';
import { kill, openProject, until } from './project.js';

closeBoards();

const MCP_SERVER = fileURLToPath(new URL('../fakes/mcp-server.mjs', import.meta.url));
/** What stands still while a worker is killed, by what its command line has: none of it would end by itself. */
const LEFT = {
  'the MCP server': 'mcp-server.mjs',
  'what the MCP server has started': 'process.on("SIGTERM"',
  avrdude: 'avrdude',
};

/** Opens a project, in which a tool of an MCP server never answers and a board neither. */
async function openBusy(onTestFinished: TestContext['onTestFinished']): Promise<Project> {
  // It reads what it is told.
  const board = createServer((socket) => void socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => board.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void board.close());
  const { port } = board.address() as AddressInfo; // it listens on a port
  return openProject({
    'perdure.yml': JSON.stringify({
      mcp: { lab: { command: [process.execPath, MCP_SERVER] } },
      devices: { uno: { kind: 'avr-arduino', port: `net:127.0.0.1:${port}` } },
    }),
    'image.hex': hexOf(bytesOfPages(4, 1)),
    'busy.yml': JSON.stringify({
      name: 'busy',
      execution: 'dag',
      steps: [
        { id: 'ask', tool: 'lab__hang', timeout: '1h' },
        { id: 'write', flash: { device: 'uno', image: 'image.hex' } },
      ],
    }),
  });
}

/** Pids of what a worker has started for its steps. */
async function startedBy(worker: number): Promise<number[]> {
  return (await listTagged()).filter(({ tag }) => tag.worker === worker).map(({ pid }) => pid);
}

async function commandLines(): Promise<Map<number, string>> {
  return new Map((await listProcesses()).map(({ pid, argv }) => [pid, argv.join(' ')]));
}

/** Waits until all of `LEFT` runs, and stops it. */
async function stopWork(worker: number): Promise<void> {
  const pids = await until(async () => {
    const [running, lines] = [await startedBy(worker), await commandLines()];
    const isThere = (words: string): boolean => running.some((pid) => lines.get(pid)?.includes(words) === true);
    return Object.values(LEFT).every(isThere) && running;
  });
  for (const pid of pids) kill(pid, 'SIGSTOP');
}

async function watchdogOf(worker: number): Promise<number> {
  const lines = [...(await commandLines())];
  const found = lines.find(([, line]) => line.includes('perdure-watchdog') && line.includes(`:${worker}:`));
  if (found === undefined) throw new Error('The worker has no watchdog.');
  return found[0];
}

const DEATHS: Record<string, (project: Project, worker: number) => Promise<void>> = {
  'is killed': async (_project, worker) => {
    kill(worker);
  },
  'is killed with its watchdog': async (project, worker) => {
    kill(await watchdogOf(worker));
    kill(worker);
    await until(async () => !(await listProcesses()).some(({ pid }) => pid === worker));
    expect(await startedBy(worker)).not.toEqual([]);
    expect((await project.run('server', 'start')).code).toBe(0);
  },
};

describe('a worker', () => {
  it.concurrent.for(Object.keys(DEATHS))(
    `that %s leaves nothing of its steps running: not ${Object.keys(LEFT).join(', not ')}`,
    async (death, { onTestFinished }) => {
      const project = await openBusy(onTestFinished);
      try {
        const started = await project.run('run', 'busy.yml', '--detach', '--unattended');
        expect(started.code, started.stderr).toBe(0);
        const { host } = await project.pids();
        if (host === null) throw new Error('There is no host.');
        await stopWork(host);
        await DEATHS[death]?.(project, host);
        await until(async () => (await startedBy(host)).length === 0);
      } finally {
        await project.close();
      }
    },
  );
});
