import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ByHand } from '../by-hand/client.js';
import { sequential } from '../definitions.js';
import type { Bench, Side } from '../environment.js';
import { readProfiles } from './cpu-profile.js';
import type { Costs } from './cpu-profile.js';

const CLI = join(process.cwd(), 'dist', 'cli', 'main.js');
const STEPS = 20;
const RUNS = 50;
const REPEATS = 10;

/** Self time of processes that do the same, or of commands. */
export interface ProfileResult {
  title: string;
  /** What one column's numbers are for. */
  unit: string;
  columns: { name: string; costs: Costs }[];
}

/** Where a worker of each side spends its time, and where the command line does. */
export async function measureProfiles(bench: Bench): Promise<ProfileResult[]> {
  return [
    {
      title: `CPU of a worker process, ${RUNS} runs of ${STEPS} model calls at once`,
      unit: 'ms per step',
      columns: [
        { name: 'Perdure', costs: await workerCosts(bench, 'ours') },
        { name: 'hand-written', costs: await workerCosts(bench, 'by-hand') },
      ],
    },
    {
      title: 'CPU of the command line, whole process',
      unit: 'ms',
      columns: [
        {
          name: '`validate`',
          costs: await commandCosts(bench, ['validate', `definitions/workflows/bench-sequential-${STEPS}.yml`]),
        },
        { name: '`list`', costs: await commandCosts(bench, ['list']) },
      ],
    },
  ];
}

async function workerCosts(bench: Bench, side: Side): Promise<Costs> {
  const folder = join(bench.folder, `profile-${side}`);
  const taskQueue = `profile-${side}`;
  const worker = await bench.startWorker(side, { taskQueue, execArgv: ['--cpu-prof', `--cpu-prof-dir=${folder}`] });
  const plan = await bench.ours.compile(sequential(STEPS));
  const [ours, byHand] = [bench.ours.on(taskQueue), new ByHand(bench.byHand.client, taskQueue)];
  const run = (): Promise<unknown> => (side === 'ours' ? ours.run(plan) : byHand.run('sequential', [STEPS]));
  await Promise.all(Array.from({ length: RUNS }, run));
  await worker.end();
  return scaled(await readProfiles(folder), RUNS * STEPS);
}

async function commandCosts(bench: Bench, args: string[]): Promise<Costs> {
  const folder = join(bench.folder, `profile-${args[0] ?? ''}`);
  await mkdir(folder, { recursive: true });
  for (let time = 0; time < REPEATS; time++) {
    const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval', '250'];
    const child = spawn(process.execPath, [...flags, CLI, ...args], {
      cwd: bench.folder,
      env: { ...process.env, TEMPORAL_ADDRESS: bench.address },
      stdio: 'ignore',
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`\`perdure ${args.join(' ')}\` ended with ${code}`);
  }
  return scaled(await readProfiles(folder), REPEATS);
}

function scaled(costs: Costs, by: number): Costs {
  return new Map([...costs].map(([owner, time]) => [owner, time / by]));
}
