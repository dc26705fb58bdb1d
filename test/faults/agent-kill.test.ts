// @module-tag sandbox
// @seconds 50
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { LogLine } from '../../src/store/logs/line.js';
import type { Harness } from '../workflows/helpers/harness.js';
import { openHarness } from '../workflows/helpers/harness.js';
import type { Plan } from '../../src/plan/plan.js';
import { NO_BUDGETS } from '../../src/plan/budget/budgets.js';
import type { Agent, ToolStep } from '../../src/plan/step.js';
import { plan, stepBase } from '../plan/helpers/build-plan.js';
import { PERMISSIONS, models, talking } from '../workflows/helpers/conversing.js';
import { CALLS, answerTo } from './agent-answers.js';
import type { Count } from './kill-counts.js';
import { count, expectWithin, without } from './kill-counts.js';
import { FULL, random } from './seed.js';

const WORKER = fileURLToPath(new URL('agent-worker.mjs', import.meta.url));

const CREDENTIALS = { ANTHROPIC_API_KEY: 'test-key' };
/** The worker that is killed asks with a key of its own: the provider tells whose a question was. */
const KILLED_KEY = 'killed-key';

const EFFECTS = CALLS.reduce((sum, calls) => sum + calls, 0);
const TURNS = CALLS.length + 1;
/** Three turns of who makes a workflow, and the two steps of what it made. */
const MADE_ANSWERS = 5;
/** A run that nobody disturbs has more points than this. */
const POINTS = 200;
/** Runs at once: they mostly wait until the server notices that their worker is lost. */
const AT_ONCE = 6;

let harness: Harness;
let endpoint: ModelEndpoint;
beforeAll(async () => {
  harness = await openHarness(CREDENTIALS);
  endpoint = await startModelEndpoint(answerTo);
});
afterAll(async () => {
  await endpoint.close();
  await harness.close();
});

/** What is killed, and how one sees that it has ended as if nothing had been. */
interface Scene {
  name: string;
  plan: (name: string) => Plan;
  check: (ended: Ended) => void;
  /** So many answers it takes. */
  answers: number;
  /** A run that nobody disturbs has more points than this. */
  points: number;
}

const EDIT: ToolStep = {
  ...stepBase(0, { id: 'work' }),
  kind: 'tool',
  tool: { kind: 'builtin', name: 'edit_file' },
  permissions: PERMISSIONS,
  schema: null,
  effect: 'workspace',
  inputs: {
    path: { kind: 'literal', value: 'edits.txt' },
    old_text: { kind: 'literal', value: 'END' },
    new_text: { kind: 'literal', value: 'e1\nEND' },
  },
};
const MAKES: Partial<Agent> = {
  uses: [{ kind: 'maker', name: 'workflow_create', rules: { kinds: ['agent'], budgets: NO_BUDGETS } }],
  permissions: { ...PERMISSIONS, allow: ['make'] },
};
const talk = (name: string, fields: Partial<Agent> = {}): Plan =>
  talking(fields, { timeout_ms: 600_000, prompt: { kind: 'literal', value: `Do ${name}.` } });

const AGENT: Scene = { name: 'kill', plan: (name) => talk(name), check, answers: TURNS, points: POINTS };
const MAKER: Scene = {
  name: 'made',
  plan: (name) => talk(name, MAKES),
  check: checkMade,
  answers: MADE_ANSWERS,
  points: 95,
};
const ASK: Scene = {
  name: 'ask',
  plan: (name) => talk(name, { uses: [] }),
  check: ({ output }) => {
    expect(output).toBe('done');
  },
  answers: 1,
  points: 10,
};
const READS: Scene = { name: 'reads', plan: (name) => talk(name), check: checkReads, answers: 2, points: 40 };
/** A file that is written whole is written again where its worker was lost: nobody has to look what became of it. */
const WHOLE: Scene = {
  name: 'whole',
  plan: (name) => talk(name),
  check: ({ output }) => {
    expect(output).toBe('done');
  },
  answers: 2,
  points: 25,
};
const TOOL: Scene = { name: 'step', plan: () => plan([EDIT]), check: checkStep, answers: 0, points: 11 };

interface Ended {
  /** What the killed worker passed; the last one is where it was killed. */
  points: string[];
  killed: boolean;
  /** Questions that came to the provider from the worker that is killed, and from the one that takes over. */
  asked: { before: number; after: number };
  /** Effects as they stand in the files. */
  effects: string[];
  /** The log: what stands in it of turns, calls and results, and what the model said. */
  told: { turns: string[]; calls: string[]; results: string[]; words: string };
  /** Effects of which the model was told that their outcome is unknown. */
  unknown: string[];
  output: unknown;
}

/**
 * Runs the agent with a worker that dies at this point, by its number or its name, and another that takes over; null
 * kills nobody.
 */
async function runKilled(scene: Scene, at: number | string | null): Promise<Ended> {
  const name = `${scene.name}-${at ?? 'nobody'}`.replaceAll(' ', '-');
  const workspace = join(harness.folder, name);
  await mkdir(join(workspace, 'definitions', 'agents'), { recursive: true });
  await writeFile(join(workspace, 'definitions', 'agents', 'helper.yml'), 'name: helper\nprompt: You help.\n');
  await writeFile(join(workspace, 'edits.txt'), 'END\n');
  const trace = join(harness.folder, `${name}.trace`);
  const handle = await harness.start(scene.plan(name), {
    id: `agent-${name}`,
    taskQueue: name,
    settings: models(endpoint.url, workspace),
  });
  const worker = startWorker(name, trace, at);
  const result = handle.result().catch((error: unknown) => ({ output: { value: causeOf(error) } }));
  const killed = await Promise.race([worker.ended.then(() => true), result.then(() => false)]);
  const stop = killed ? await harness.work(name) : null;
  const outcome = await result;
  await stop?.();
  worker.process.kill('SIGKILL');
  await worker.ended;
  const asked = endpoint.requests.filter(({ messages }) => messages[0]?.text.includes(`Do ${name}.`) === true);
  const before = asked.filter(({ headers }) => headers['authorization'] === `Bearer ${KILLED_KEY}`);
  await harness.store.logsWritten();
  const { lines: log } = await harness.store.readLog(`agent-${name}`, 'work', 0);
  const lines = (
    await Promise.all(
      ['commands.txt', 'edits.txt'].map((file) => readFile(join(workspace, file), 'utf8').catch(() => '')),
    )
  ).join('');
  return {
    told: toldIn(log),
    points: (await readFile(trace, 'utf8')).trimEnd().split('\n'),
    killed,
    asked: { before: before.length, after: asked.length - before.length },
    effects: lines
      .split('\n')
      .filter((line) => line.startsWith('e'))
      .sort(),
    unknown: unknownIn(asked.at(-1)),
    output: await harness.json(outcome.output),
  };
}

function toldIn(log: LogLine[]): Ended['told'] {
  const notes = log.flatMap(({ stream, text }) => (stream === 'note' ? [text] : []));
  const addresses = (start: RegExp): string[] => notes.flatMap((note) => start.exec(note)?.[1] ?? []).sort();
  return {
    turns: addresses(/^turn (\d+)$/),
    calls: addresses(/^→ (\d+\.\d+) /),
    results: addresses(/^← (\d+\.\d+) /),
    words: log.flatMap(({ stream, text }) => (stream === 'text' ? [text] : [])).join(''),
  };
}

function startWorker(taskQueue: string, trace: string, killAt: number | string | null) {
  const options = {
    address: harness.address,
    taskQueue,
    state: join(harness.folder, 'state'),
    credentials: { ANTHROPIC_API_KEY: KILLED_KEY },
    trace,
    killAt,
  };
  const child = spawn(process.execPath, [WORKER, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] });
  return {
    process: child,
    ended: new Promise<void>((resolve) => child.once('exit', () => resolve())),
  };
}

/** Results come in the order of the calls. */
function unknownIn(request: RecordedRequest | undefined): string[] {
  // Anthropic's form
  const messages = (request?.body['messages'] ?? []) as { content: { type: string; content?: unknown }[] }[];
  const results = messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === 'tool_result');
  return results.flatMap(({ content }, index) =>
    JSON.stringify(content).includes('outcome of this call is unknown') ? [`e${index}`] : [],
  );
}

/**
 * The one window in which an answer may be paid twice: the provider was asked, and the journal has not got the answer.
 * Who takes over asks for what the journal lacks, and for nothing else.
 */
function checkPaid({ points, killed, asked }: Ended, answers: number, journalled: Count, where: string): void {
  expectWithin(
    asked.before,
    killed ? count(points, 'the provider is not asked', 'the provider answers') : { least: answers, most: answers },
    where,
  );
  expectWithin(
    asked.after,
    killed ? without({ least: answers, most: answers }, journalled) : { least: 0, most: 0 },
    where,
  );
}

/** Calls of tools that had begun and were not journalled. */
function doubtfulIn({ points, killed }: Ended): Count {
  if (!killed) return { least: 0, most: 0 };
  return without(
    count(points, 'the journal lacks the begun', 'the journal holds the begun'),
    count(points, 'the journal lacks the tool', 'the journal holds the tool'),
  );
}

function check(ended: Ended): void {
  const { points, effects, unknown, output, told } = ended;
  const where = `killed at ${points.length}: ${points.at(-1)}`;
  // Nothing is doubled in the log, and nothing lost.
  const calls = CALLS.flatMap((length, turn) => Array.from({ length }, (_, call) => `${turn + 1}.${call + 1}`));
  expect(told, where).toEqual({ turns: ['1', '2', '3', '4', '5', '6'], calls, results: calls, words: 'done' });
  expect(output, where).toBe('done');
  checkPaid(ended, TURNS, count(points, 'the journal lacks the turn', 'the journal holds the turn'), where);
  // What had begun and was not journalled is told to the model as such, and not repeated.
  expectWithin(unknown.length, doubtfulIn(ended), where);
  const missing = Array.from({ length: EFFECTS }, (_, index) => `e${index}`).filter(
    (effect) => !effects.includes(effect),
  );
  expect(unknown, where).toEqual(expect.arrayContaining(missing));
  expect(effects, where).toHaveLength(EFFECTS - missing.length);
}

function checkMade(ended: Ended): void {
  const { points, unknown, output } = ended;
  const where = `killed at ${points.length}: ${points.at(-1)}`;
  expect(output, where).toBe('done');
  const turns = count(points, 'the journal lacks the turn', 'the journal holds the turn');
  const answers = count(points, 'the journal lacks the answer', 'the journal holds the answer');
  checkPaid(ended, MADE_ANSWERS, { least: turns.least + answers.least, most: turns.most + answers.most }, where);
  expect(unknown, where).toEqual([]);
}

function checkReads(ended: Ended): void {
  const { points, told, output } = ended;
  const [calls, where] = [['1.1', '1.2', '1.3'], `killed at ${points.length}: ${points.at(-1)}`];
  expect([told, output], where).toEqual([{ turns: ['1', '2'], calls, results: calls, words: 'done' }, 'done']);
  checkPaid(ended, READS.answers, count(points, 'the journal lacks the turn', 'the journal holds the turn'), where);
}

/** An edit that had begun is not made again: the step says so. */
function checkStep(ended: Ended): void {
  const { points, effects, output } = ended;
  const where = `killed at ${points.length}: ${points.at(-1)}`;
  const isUnknown = /The outcome of `edit_file` is unknown/.test(String(output));
  expectWithin(isUnknown ? 1 : 0, doubtfulIn(ended), where);
  expect(effects.length, where).toBeGreaterThanOrEqual(isUnknown ? 0 : 1);
  expect(effects.length, where).toBeLessThanOrEqual(1);
}

/** The text of an error with all that caused it. */
function causeOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${causeOf(error.cause)}` : '';
}

interface Moment {
  scene: Scene;
  at: number | string;
}

/**
 * An answer is here and the server has not heard of it: only the journal can know. A kill by numbers seldom comes here.
 */
const ANSWERED: Moment[] = [
  { scene: AGENT, at: 'askTurn returns' },
  { scene: ASK, at: 'callModel returns' },
  { scene: WHOLE, at: 'the journal lacks the tool' },
  { scene: WHOLE, at: 'the journal holds the tool' },
];

/** So many at once, the next as soon as one has ended; fails with all that failed. */
async function each(moments: Moment[], act: (moment: Moment) => Promise<void>): Promise<void> {
  const queue = [...moments];
  const failures: string[] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let moment = queue.shift(); moment !== undefined; moment = queue.shift())
        await act(moment).catch((error: unknown) => {
          const failure = `${moment.scene.name} ${moment.at}: ${String(error)}`;
          // A campaign takes long: what it finds is seen as it comes.
          process.stderr.write(`${failure}\n`);
          failures.push(failure);
        });
    }),
  );
  expect(failures).toEqual([]);
}

/** Moments of an undisturbed run of a scene: all of them, or one in each part. */
async function momentsOf(scene: Scene, parts: number): Promise<Moment[]> {
  const draw = random(`agent-${scene.name}`);
  if (!FULL)
    return Array.from({ length: parts }, (_, part) => ({
      scene,
      at: Math.ceil(((part + draw()) * scene.points) / parts),
    }));
  const whole = await runKilled(scene, null);
  scene.check(whole);
  expect(whole.points.length).toBeGreaterThan(scene.points);
  return whole.points.map((_, index) => ({ scene, at: index + 1 }));
}

describe(
  'a worker killed with -9 under an agent of six turns and twelve calls, under one that makes and runs a ' +
    'workflow, and in a step of a tool',
  () => {
    it(
      'at any point between two events, or around the answer and the journal: every answer is paid once and every ' +
        'call made once, but in the one window of each',
      { timeout: FULL ? 10_800_000 : 600_000 },
      async () => {
        const moments = [
          ...(await momentsOf(AGENT, 3)),
          ...(await momentsOf(MAKER, 2)),
          ...(await momentsOf(READS, 1)),
          ...(await momentsOf(TOOL, 1)),
          ...ANSWERED,
        ];
        return each(moments, async ({ scene, at }) => {
          let ended = await runKilled(scene, at);
          // On a busy machine more comes in one task, and a run has fewer points.
          for (let point = Number(at); !FULL && !ended.killed && point > 1; point = Math.ceil(point / 2))
            ended = await runKilled(scene, Math.ceil(point / 2));
          if (!FULL) expect(ended.killed).toBe(true);
          scene.check(ended);
          if (typeof at === 'string')
            expect(ended.asked.before + ended.asked.after, `paid when killed as ${at}`).toBe(scene.answers);
        });
      },
    );
  },
);
