// @module-tag ps
// @seconds 95
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Project } from './project.js';
import { kill, openProject, until } from './project.js';

/** A night is longer than any budget, and so is this. */
const BUDGET_MS = 66_000;
const AWAY_MS = 75_000;
const DEADLINE_MS = 50_000;

const WORKFLOW = `name: night
execution: dag
budgets: {max_runtime_mins: ${BUDGET_MS / 60_000}}
steps:
  - id: work
    command: [sh, -c, 'echo start >> lines.txt; until [ -f finish.txt ]; do sleep 0.1; done; echo done >> lines.txt']
  - id: ship
    approval: Ship it?
    deadline: ${DEADLINE_MS / 1000}s
    default: approve
`;

/** The host and all that it has started: its server, its watchdog, its commands. */
async function everything(project: Project): Promise<number[]> {
  const { host } = await project.pids();
  if (host === null) throw new Error('There is no host.');
  const processes = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = new Set([host]);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const [pid, parent] of processes)
      if (pid !== undefined && parent !== undefined && found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Some end meanwhile, as each `sleep` of the command does. */
const signalAll = (pids: number[], signal: NodeJS.Signals): void => {
  for (const pid of pids) kill(pid, signal);
};
/** So long nothing of the project is at work: what is tested is that it costs nothing. */
const away = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, AWAY_MS);
  });

const NIGHTS: Record<string, (project: Project) => Promise<void>> = {
  'stands still': async (project) => {
    const pids = await everything(project);
    signalAll(pids, 'SIGSTOP');
    await away();
    signalAll(pids.reverse(), 'SIGCONT');
  },
  'is switched off': async (project) => {
    signalAll(await everything(project), 'SIGKILL');
    await away();
  },
};

describe('a laptop that is closed for longer than a run may take', () => {
  it.concurrent.each(Object.keys(NIGHTS))(
    'costs the budget nothing where it %s, and a deadline that passed meanwhile is honoured',
    async (night) => {
      const project = await openProject({ 'definitions/workflows/night.yml': WORKFLOW });
      try {
        await project.run('run', 'definitions/workflows/night.yml', '--id', 'night', '--detach');
        await until(
          async () =>
            (await project.read('lines.txt')).includes('start') &&
            (JSON.parse((await project.run('list', '--waiting', '--json')).stdout) as unknown[]).length === 1,
        );
        await NIGHTS[night]?.(project);
        await writeFile(join(project.folder, 'finish.txt'), '');
        expect((await project.run('watch', 'night', '--json')).stdout).toContain('run-ended');
        const { stdout } = await project.run('show', 'night', '--json');
        expect(JSON.parse(stdout), stdout).toMatchObject({
          status: 'success',
          steps: [
            { id: 'work', status: 'success' },
            { id: 'ship', status: 'success', note: expect.stringContaining('default') as string },
          ],
        });
      } finally {
        await project.close();
      }
    },
  );
});
