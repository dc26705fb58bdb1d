// @seconds 10
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, it } from 'vitest';
import type { RunRecord } from '../../src/plan/result.js';
import { openStore } from '../../src/store/local-store.js';
import type { Store } from '../../src/store/store.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import { toSay } from '../model/author.js';
import { compare } from '../model/compare.js';
import { generate } from '../model/generate.js';
import type { Expected, ModelWorkflow } from '../model/reference.js';
import { play } from '../model/reference.js';
import type { Bench, StartedSeed } from '../model/run-seed.js';
import { startSeed } from '../model/run-seed.js';
import { startRun } from '../workflows/helpers/harness.js';
import type { Project, Running } from './project.js';
import { openProject, until } from './project.js';
import { FULL, random } from './seed.js';
import type { Victim } from './strike.js';
import { strike, VICTIMS } from './strike.js';

const HELLO = 'name: hello\nsteps:\n  - command: [echo, hello]\n';
const ROUNDS = FULL ? 12 : 1;
const RUNS = FULL ? 9 : 5;
const BLOWS = FULL ? 6 : 2;
const LONGEST_LINK = 20;
const LONGEST_PAUSE_MS = 1_500;
/** What a worker asked before it was killed has arrived by then, and nobody else asks yet. */
const ARRIVED_MS = 200;

/** More nested runs than one run starts by itself: batch runs do them. */
const ITEMS = 210;
const step = { quick: true, refers: [], needs: [], group: null, on_error: null, when: null, repeat: null };
const BATCH: ModelWorkflow = {
  name: 'batch',
  mode: 'sequential',
  finally: [],
  steps: [
    {
      ...step,
      id: 'each',
      repeat: { kind: 'foreach', items: ITEMS, window: null, skips: null },
      act: {
        kind: 'workflow',
        workflow: {
          name: 'leaf',
          mode: 'sequential',
          finally: [],
          steps: [{ ...step, id: 'said', act: { kind: 'set' } }],
        },
      },
    },
  ],
};

/** A definition, how long its links are, and what it must come to. */
interface Drawn {
  id: string;
  linkSteps: number;
  workflow: ModelWorkflow;
  expected: Expected;
}

function drawRun(id: string, fixed?: ModelWorkflow): Drawn {
  const draw = random(id);
  const workflow = fixed ?? generate(draw);
  return {
    id,
    workflow,
    expected: play(workflow),
    linkSteps: 1 + Math.floor(random(`links of ${id}`)() * LONGEST_LINK),
  };
}

/** A project's own server and store; the server is found anew, since it may have been killed. */
function benchOf(project: Project, store: Store): Bench & { close: () => Promise<void> } {
  const open = new Map<number, Client>();
  const client = (): Client => {
    const { ports } = JSON.parse(readFileSync(join(project.folder, '.perdure', 'host.json'), 'utf8')) as {
      ports: { grpc: number };
    }; // as the host writes it
    const found =
      open.get(ports.grpc) ??
      new Client({ connection: Connection.lazy({ address: `127.0.0.1:${String(ports.grpc)}` }) });
    open.set(ports.grpc, found);
    return found;
  };
  const { folder } = project;
  return {
    store,
    folder,
    get client() {
      return client();
    },
    start: (plan, options) =>
      startRun({ client: client(), store, folder }, plan, { ...options, taskQueue: `perdure-${store.id}` }),
    close: async () => {
      for (const { connection } of open.values()) await connection.close();
    },
  };
}

/** Follows what is open, as a person does who types the command again when it has ended. */
function follow(project: Project, store: Store, ids: string[]): { cli: () => number | undefined; done: Promise<void> } {
  let watching: Running | null = null;
  const all = async (): Promise<void> => {
    for (const id of ids) {
      while ((await store.readRun(id)) === null) {
        watching = project.start('watch', id, '--json');
        await watching.finished;
      }
    }
  };
  return { cli: () => watching?.process.pid, done: all() };
}

/** What has ended without a record ends the wait, too. */
async function recordOf(bench: Bench, id: string): Promise<RunRecord> {
  await until(
    async () =>
      (
        await bench.client.workflow
          .getHandle(id)
          .describe()
          .catch(() => null)
      )?.status.name !== 'RUNNING' && (await bench.store.readRun(id)) !== null,
  );
  const record = await bench.store.readRun(id);
  if (record === null) throw new Error(`${id} left no record`);
  return record;
}

const rounds = Array.from({ length: ROUNDS }, (_, round) => {
  const draw = random(`kill links ${round}`);
  const blows = Array.from({ length: BLOWS }, () => ({
    victim: VICTIMS[Math.floor(draw() * VICTIMS.length)] ?? 'everything',
    after: Math.floor(draw() * LONGEST_PAUSE_MS),
  }));
  const runs = Array.from({ length: RUNS }, (_none, number) => drawRun(`killed-${round}-${number}`));
  return {
    runs: FULL && round % 3 === 0 ? [...runs, drawRun(`killed-${round}-batch`, BATCH)] : runs,
    blows,
    told: blows.map(({ victim, after }) => `${victim} after ${after} ms`).join(', '),
  };
});

for (const { runs, blows, told } of rounds)
  it(
    `runs in links of a few steps come to what they must, and pay once for each call, while these are killed: ` +
      `${told}`,
    async () => {
      let asked = 0;
      const endpoint = await startModelEndpoint(({ prompt }) => {
        asked += 1;
        return { text: toSay(prompt) };
      });
      const project = await openProject(
        { 'hello.yml': HELLO },
        { ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: endpoint.url },
      );
      const store = await openStore(join(project.folder, '.perdure'));
      const bench = benchOf(project, store);
      try {
        expect((await project.run('run', 'hello.yml', '--json')).code).toBe(0);
        const started = await Promise.all(
          runs.map(({ workflow, expected, linkSteps, id }) =>
            startSeed(bench, workflow, expected, { budget: { kind: 'none' }, linkSteps, id }),
          ),
        );
        const following = follow(
          project,
          store,
          runs.map(({ id }) => id),
        );
        const excused = await strikeAll(project, { blows, cli: following.cli, asked: () => asked });
        const failed: Record<string, string[]> = {};
        for (const [index, run] of runs.entries()) {
          const found = await differences(bench, run, started[index]);
          if (found.length > 0) failed[`${run.id}, ${run.linkSteps} steps in a link`] = found;
        }
        await following.done;
        expect(failed).toEqual({});
        const calls = runs.reduce((sum, { expected }) => sum + expected.calls, 0);
        expect(asked - calls).toBeLessThanOrEqual(excused);
      } finally {
        await bench.close();
        await project.close();
        await endpoint.close();
      }
    },
  );

async function differences(
  bench: Bench,
  { id, workflow, expected }: Drawn,
  started: StartedSeed | undefined,
): Promise<string[]> {
  const outcome = await recordOf(bench, id);
  await started?.people.leave();
  return compare(bench.store, { workflow, expected }, { outcome, log: (await started?.log()) ?? '' });
}

interface Blows {
  blows: { victim: Victim; after: number }[];
  cli: () => number | undefined;
  /** How many calls have arrived by now. */
  asked: () => number;
}

/**
 * Strikes one blow after another. Gives how many calls had no answer in the journal where a worker was hit: only these
 * may be made again.
 */
async function strikeAll(project: Project, { blows, cli, asked }: Blows): Promise<number> {
  let excused = 0;
  for (const { victim, after } of blows) {
    await new Promise((resolve) => {
      setTimeout(resolve, after);
    }); // the random moment itself, not a wait for something
    await strike(project, victim, cli());
    if (victim !== 'host' && victim !== 'everything') continue;
    const answered = await answeredIn(project);
    await new Promise((resolve) => setTimeout(resolve, ARRIVED_MS));
    excused = Math.max(excused, asked() - answered);
  }
  return excused;
}

/** How many paid answers the journal has. */
async function answeredIn({ folder }: Project): Promise<number> {
  const journal = join(folder, '.perdure', 'journal');
  const files = await readdir(journal).catch((): string[] => []);
  const texts = await Promise.all(files.map((file) => readFile(join(journal, file), 'utf8')));
  return texts.flatMap((text) => text.split('\n')).filter((line) => line.includes('"spent":')).length;
}
