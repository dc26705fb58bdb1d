import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { HostStatus } from '../../src/workers/host/control-protocol.js';
import { firstStep } from '../definitions.js';
import type { Bench } from '../environment.js';
import { spreadOf } from '../measure.js';
import type { Row } from '../row.js';

const CLI = join(process.cwd(), 'dist', 'cli', 'main.js');
const MARK = 'first-step';

/** Milliseconds of each phase, one after another. */
type Phases = Record<'command line' | 'host process' | 'server' | 'worker' | 'submit' | 'first step', number>;

/** `perdure run` in a folder where nothing ever ran, with the server's program at hand. */
export const firstStart: Row = {
  name: 'first-start',
  workload: 'first `perdure run` in a new folder until its first step acts (server cached)',
  against: '–',
  unit: 'ms',
  target: null,
  rounds: 5,
  async measure(bench, rounds) {
    const starts: Phases[] = [];
    for (let round = 0; round < rounds; round++) starts.push(await start(bench));
    const total = (phases: Phases): number => Object.values(phases).reduce((sum, part) => sum + part, 0);
    const [first] = starts;
    const names = Object.keys(first ?? {}) as (keyof Phases)[]; // a Phases has no other keys
    const note = names
      .map((name) => `${name} ${Math.round(spreadOf(starts.map((phases) => phases[name])).median)}`)
      .join(', ');
    return { ours: spreadOf(starts.map(total)), theirs: null, ratio: null, note };
  },
};

async function start(bench: Bench): Promise<Phases> {
  const folder = await mkdtemp(join(bench.folder, 'first-'));
  await mkdir(join(folder, 'definitions', 'workflows'), { recursive: true });
  await writeFile(join(folder, 'perdure.yml'), '{}\n');
  await writeFile(join(folder, 'first.yml'), JSON.stringify(firstStep(MARK)));
  const perdure = (...args: string[]): Promise<unknown> => json(folder, bench.temporal, args);
  const begun = Date.now();
  try {
    const { started_at } = (await perdure('run', 'first.yml', '--json')) as { started_at: string }; // docs/cli.md
    const acted = (await stat(join(folder, MARK))).mtimeMs;
    const { since, phases } = (await perdure('server', 'status', '--json')) as HostStatus;
    const { process: process_ = 0, server = 0, worker = 0 } = phases;
    // The host counts from the start of its process, and notes the time of day when its first phase ends.
    const host = Date.parse(since) - process_;
    const submitted = Date.parse(started_at);
    return {
      'command line': host - begun,
      'host process': process_,
      server: server - process_,
      worker: worker - server,
      submit: submitted - (host + worker),
      'first step': acted - submitted,
    };
  } finally {
    await perdure('server', 'stop', '--json');
  }
}

async function json(cwd: string, temporal: string, args: string[]): Promise<unknown> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_') && name !== 'PERDURE_STATE_DIR'),
  );
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { ...env, PERDURE_TEMPORAL_BIN: temporal },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`\`perdure ${args.join(' ')}\` ended with ${code}: ${errors}`);
  return JSON.parse(output) as unknown;
}
