// @module-tag postgres
// @module-tag git
// @module-tag sandbox
// @seconds 200
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { COUNTER, COUNTER_SPEC, mendCounter, team, write } from '../../definitions/counter-build.js';
import type { ModelEndpoint, RecordedRequest } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Project } from '../project.js';
import { kill, until } from '../project.js';
import { FULL, random } from '../seed.js';
import type { Shared, Working } from './machines.js';
import { endOf, holderOf, openMachine, openShared, signalFolder, startWorker } from './machines.js';

const draw = random('holder lost');

let shared: Shared;
beforeAll(async () => {
  shared = await openShared();
});
afterAll(() => shared.close());

/** Two machines that have the same files and nothing else in common, with a worker each. */
interface Pair {
  url: string;
  /** The id of its run: all use one server. */
  run: string;
  machines: [Project, Project];
  workers: [Working, Working];
  /** Which of the two has the run's workspace; it waits until one has. */
  holder: () => Promise<0 | 1>;
  /** Ends the machine that has it, with its checkout. Gives the one that is left. */
  lose: () => Promise<Project>;
}

let pairs = 0;

async function openPair(files: Record<string, string>, endpoint: ModelEndpoint | null = null): Promise<Pair> {
  const url = await shared.postgres.createDatabase();
  const run = `far-${(pairs += 1)}`;
  const keys = endpoint === null ? {} : { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url };
  const env = { TEAM_STORE: url, TEMPORAL_ADDRESS: shared.address, ...keys };
  const machines: [Project, Project] = [await openMachine(files, env), await openMachine(files, env)];
  const workers: [Working, Working] = [await startWorker(machines[0]), await startWorker(machines[1])];
  const holder = async (): Promise<0 | 1> => {
    const { folder } = await until(() => holderOf(shared.postgres, url, run));
    return folder.startsWith(machines[0].folder) ? 0 : 1;
  };
  return {
    url,
    run,
    machines,
    workers,
    holder,
    async lose() {
      const lost = await holder();
      kill(workers[lost].pid);
      rmSync(machines[lost].folder, { recursive: true, force: true });
      return machines[lost === 0 ? 1 : 0];
    },
  };
}

/** Starts the run. */
async function begin({ run, machines: [machine] }: Pair, ...words: string[]): Promise<void> {
  const { code, stderr } = await machine.run(...words, '--id', run, '--detach');
  expect([code, stderr]).toEqual([0, expect.anything()]);
}

/** Of each agent the turns: two that write files, and the last, which answers. */
const TURNS = 3;
const agent = (name: string): string => `  - id: ${name}
    agent: writer
    prompt: "Write the files of ${name}."
    timeout: 10m
`;
const FLOWS = {
  'definitions/agents/writer.yml':
    'name: writer\ndescription: Writes files.\nprompt: You write files.\ntools: [write_file]\ntimeout_mins: 9\n',
  'outer.yml': `name: outer
workspace: worktree
steps:
${agent('outer')}  - id: nested
    workflow: ./inner.yml
  - id: last
    command: [sh, -c, "cat outer-*.txt inner-*.txt; ls"]
`,
  'inner.yml': `name: inner
steps:
${agent('inner')}`,
};

/** Who asks, and at which turn. */
function turnOf({ messages, results: { count } }: RecordedRequest): { who: string; turn: number } {
  return { who: /files of (\w+)/.exec(messages[0]?.text ?? '')?.[1] ?? '', turn: count + 1 };
}

async function writers(victim: string): Promise<{ endpoint: ModelEndpoint; reached: Promise<void> }> {
  let arrived = (): void => undefined;
  const reached = new Promise<void>((resolve) => (arrived = resolve));
  let held = false;
  const endpoint = await startModelEndpoint((request) => {
    const { who, turn } = turnOf(request);
    if (turn < TURNS) return { tools: [write(`${who}-${turn}.txt`, `${who} ${turn}\n`)] };
    if (who !== victim || held) return { text: `${who} is done.` };
    held = true;
    arrived();
    return { hang: true };
  });
  onTestFinished(() => endpoint.close());
  return { endpoint, reached };
}

/** Questions of a build: the plan, three tasks with two each, two reviews, and two times mending. */
const REQUESTS = 13;

describe('when the machine that has the workspace is gone, with its checkout', () => {
  it.each(['outer', 'inner'])(
    'in the last turn of an agent (%s), that turn alone is asked again, and the files are all there',
    async (victim) => {
      const { endpoint, reached } = await writers(victim);
      const pair = await openPair(FLOWS, endpoint);
      await begin(pair, 'run', 'outer.yml');
      await reached;
      const left = await pair.lose();
      const ended = await endOf(left, pair.run);
      expect(ended).toMatchObject({ status: 'success' });
      const lines = String(ended.output).split('\n');
      expect(lines.slice(0, 4)).toEqual(['outer 1', 'outer 2', 'inner 1', 'inner 2']);
      const files = ['inner-1.txt', 'inner-2.txt', 'outer-1.txt', 'outer-2.txt'];
      expect(lines.filter((line) => line.endsWith('.txt'))).toEqual(files);
      const asked = endpoint.requests.map(turnOf).map(({ who, turn }) => `${who} ${turn}`);
      const once = ['outer', 'inner'].flatMap((who) => [1, 2, 3].map((turn) => `${who} ${turn}`));
      expect(asked.sort()).toEqual([...once, `${victim} ${TURNS}`].sort());
      expect((await left.run('show', pair.run)).stdout).toContain('1 question was asked again');
    },
  );

  it.each(FULL ? [2, 4, 6, 8, 10, 12] : [2 + Math.floor(draw() * (REQUESTS - 2))])(
    'in the middle of a build (at question %i), it comes to the same files, and asks one question more at most',
    async (moment) => {
      const voices = team(1, mendCounter);
      const endpoint = await startModelEndpoint((request) => {
        const voice = Object.keys(voices).find((words) => request.system.includes(words));
        return (voice === undefined ? undefined : voices[voice]?.(request)) ?? { status: 400, message: 'nobody' };
      });
      onTestFinished(() => endpoint.close());
      const spec = JSON.stringify({ ...COUNTER_SPEC, workflow: { approve_plan: false } });
      const pair = await openPair({ 'definitions/builds/counter.yml': spec }, endpoint);
      await begin(pair, 'build', 'definitions/builds/counter.yml');
      await endpoint.arrival(moment);
      const left = await pair.lose();
      const { status, output } = await endOf(left, pair.run);
      expect([moment, status]).toEqual([moment, 'success']);
      expect(output).toMatchObject({ tests: { ok: true, passed: 1, failed: 0 } });
      expect((await left.run('workspace', 'export', pair.run, 'result')).code).toBe(0);
      expect(readFileSync(join(left.folder, 'result', 'counter.js'), 'utf8')).toBe(COUNTER(1));
      expect(endpoint.requests.length).toBeLessThanOrEqual(REQUESTS + 1);
    },
  );
});

describe('a holder that stands still for longer than its lease', () => {
  it('is fenced: another does the step with the files as they were kept, and its own end is no more', async () => {
    const signals = signalFolder();
    const flow = `name: flow
workspace: worktree
steps:
  - id: kept
    command: [sh, -c, "echo kept > log.txt"]
    commit: Keep it
  - id: slow
    command: [sh, -c, "echo x >> log.txt; cd ${signals}; echo $$ >> at; while [ ! -e go ]; do sleep 0.1; done"]
    commit: Say it
    timeout: 10m
  - id: last
    command: [cat, log.txt]
`;
    const pair = await openPair({ 'flow.yml': flow });
    const began = (): number =>
      (existsSync(join(signals, 'at')) ? readFileSync(join(signals, 'at'), 'utf8') : '').split('\n').length;
    await begin(pair, 'run', 'flow.yml');
    await until(() => began() === 2);
    const still = await pair.holder();
    const [stopped, left] = [pair.workers[still], pair.machines[still === 0 ? 1 : 0]];
    process.kill(stopped.pid, 'SIGSTOP');
    await until(() => began() === 3);
    writeFileSync(join(signals, 'go'), '');
    expect(await endOf(left, pair.run)).toMatchObject({ status: 'success', output: 'kept\nx' });
    const row = async (): Promise<unknown> =>
      shared.postgres.query(pair.url, 'select fence, state from perdure.workspaces');
    const before = await row();
    process.kill(stopped.pid, 'SIGCONT');
    await until(() => stopped.said().includes('taken for lost'));
    // It ends what it was at, as far as it may, before it ends.
    kill(stopped.pid, 'SIGTERM');
    expect((await stopped.finished).code).toBe(0);
    expect(await row()).toEqual(before);
    const diff = await left.run('workspace', 'diff', pair.run);
    expect(diff.stdout.match(/^\+x$/gm)).toHaveLength(1);
  });
});

describe('when PostgreSQL is killed while a tree is kept', () => {
  it('the step ends once it is back, and no file is lost', async () => {
    const signals = signalFolder();
    const step = (number: number): string => `  - id: s${number}
    command: [sh, made.sh, "${number}", "${signals}"]
`;
    const numbers = [1, 2, 3];
    const flow = `name: flow\nworkspace: worktree\nsteps:\n${numbers.map(step).join('')}  - id: last
    command: [sh, -c, "cat ${signals}/s* | sha256sum -c --quiet && echo same"]
`;
    const made = 'head -c 24000000 /dev/urandom > f$1; sha256sum f$1 > $2/s$1; touch $2/e$1\n';
    const pair = await openPair({ 'flow.yml': flow, 'made.sh': made });
    await begin(pair, 'run', 'flow.yml');
    for (const number of numbers) {
      await until(() => existsSync(join(signals, `e${number}`)));
      const delay = Math.floor(draw() * 600);
      await new Promise((resolve) => setTimeout(resolve, delay)); // the random moment itself
      await shared.postgres.kill();
      await shared.postgres.start();
    }
    expect(await endOf(pair.machines[1], pair.run)).toMatchObject({ status: 'success', output: 'same' });
    expect(await pair.machines[1].run('store', 'verify')).toMatchObject({ code: 0 });
  });
});
