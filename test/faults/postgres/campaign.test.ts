// @module-tag postgres
// @module-tag git
// @module-tag sandbox
// @module-tag networks
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COUNTER_SPEC, mendCounter, team } from '../../definitions/counter-build.js';
import type { RecordedRequest } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Project } from '../project.js';
import { kill, until } from '../project.js';
import { FULL } from '../seed.js';
import type { Working } from './machines.js';
import { openMachine, openShared, runOn, signalFolder, startWorker } from './machines.js';
import { makeOwnNetwork } from './networks.js';

/** How long something is killed, and how often; in seconds. */
const LAST = Number(process.env['PERDURE_CAMPAIGN_SECONDS'] ?? 600);
const EVERY = Number(process.env['PERDURE_CAMPAIGN_EVERY'] ?? 20);
const RUNS = Number(process.env['PERDURE_CAMPAIGN_RUNS'] ?? 50);
/** An answer that was sent so long before a kill is in the journal. */
const JOURNALLED_MS = 2_000;
const ITEMS = 200;
/** Between two looks at a run. */
const LOOKS_MS = 20_000;

const QUESTION = (step: string): string => `  - id: ${step}
    agent: general-purpose
    prompt: "Question ${step} of \${who}."
`;
const WHO = 'inputs: {who: {type: string}}\n';
/** Every command leaves a line beside all machines, so that one sees how often it was done. */
const files = (effects: string): Record<string, string> => ({
  'add.sh': 'sleep 1; echo $1 >> all.txt; echo "$3 $1" >> $2/commands; cat all.txt\n',
  'commands.yml': `name: commands\n${WHO}workspace: worktree\nsteps:
${['a', 'b', 'c', 'd']
  .map(
    (name) => `  - id: ${name}
    command: [sh, add.sh, ${name}, "${effects}", "\${who}"]
    commit: Add ${name}
`,
  )
  .join('')}`,
  'agents.yml': `name: agents\n${WHO}workspace: worktree\nsteps:\n${['one', 'two', 'three'].map(QUESTION).join('')}`,
  'each.yml': `name: each\n${WHO}budgets: {max_steps: 500}\nsteps:
  - id: numbers
    command: [sh, -c, "seq -s, 1 ${ITEMS} | sed 's/.*/[&]/'"]
    effect: none
    schema: {type: array}
  - foreach: {items: "\${steps.numbers.output}", max_parallel: 8}
    command: [echo, "\${item}"]
    effect: none
`,
  'nested.yml': `name: nested\n${WHO}workspace: worktree\nsteps:
  - workflow: ./agents.yml
    inputs: {who: "\${who} inside"}
  - id: commands
    workflow: ./commands.yml
    inputs: {who: "\${who} inside"}
`,
  'gates.yml': `name: gates\n${WHO}workspace: worktree\nsteps:\n${QUESTION('first')}  - id: gate
    approval: Go on?
${QUESTION('last')}`,
  'definitions/builds/counter.yml': JSON.stringify({ ...COUNTER_SPEC, workflow: { approve_plan: false } }),
});
const KINDS = ['commands', 'agents', 'each', 'nested', 'gates', 'build'] as const;

/** A question as the endpoint saw it; `answered` is when all of the answer was sent. */
interface Asked {
  key: string;
  at: number;
  answered: number;
}

/** Acts one after another: fifty processes that submit or look at once leave no time for what they are about. */
function createTurns(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act);
    last = mine.catch(() => undefined);
    return mine;
  };
}

const keyOf = ({ system, body }: RecordedRequest): string => JSON.stringify([system, body['messages']]);

/** Answers after a moment, as a model does, and remembers who asked what. */
async function openEndpoint(asked: Asked[]): Promise<string> {
  const voices = team(0, mendCounter);
  const endpoint = await startModelEndpoint((request) => {
    const question = /Question \w+ of .*\./.exec(request.messages[0]?.text ?? '')?.[0];
    if (question === undefined) {
      const voice = Object.keys(voices).find((words) => request.system.includes(words));
      return (voice === undefined ? undefined : voices[voice]?.(request)) ?? { status: 400, message: 'nobody' };
    }
    const entry: Asked = { key: keyOf(request), at: Date.now(), answered: Infinity };
    asked.push(entry);
    const until = pause(700).then(() => void (entry.answered = Date.now()));
    return { text: 'Answer to ', until, rest: question };
  });
  onTestFinished(() => endpoint.close());
  return endpoint.url;
}

describe.each(FULL ? ['three machines of one store and one server'] : [])('%s', () => {
  it(
    'end all runs right, whatever is killed, and ask nothing again that was journalled',
    async () => {
      const asked: Asked[] = [];
      const blows: { at: number; what: string }[] = [];
      const effects = signalFolder();
      const { postgres: server, home, address, close } = await openShared();
      onTestFinished(close);
      const url = await server.createDatabase();
      const endpoint = await openEndpoint(asked);
      const networks = await Promise.all([0, 1, 2].map(makeOwnNetwork));
      const machines = await Promise.all(
        networks.map(async ({ inside, reach }) => {
          const env = {
            TEAM_STORE: await reach(url),
            TEMPORAL_ADDRESS: new URL(await reach(`tcp://${address}`)).host,
            ANTHROPIC_API_KEY: 'test-key',
            ANTHROPIC_BASE_URL: await reach(endpoint),
            XDG_CACHE_HOME: signalFolder(),
            TMPDIR: signalFolder(),
          };
          return openMachine(files(effects), env, inside);
        }),
      );
      const workers: Working[] = [];
      for (const machine of machines) workers.push(await startWorker(machine));

      const kills = [
        ...machines.map((machine, index) => async (): Promise<string> => {
          kill(workers[index]?.pid ?? 0);
          workers[index] = await startWorker(machine);
          return `worker ${String(index)}`;
        }),
        async (): Promise<string> => {
          await server.kill();
          await server.start();
          return 'PostgreSQL';
        },
        async (): Promise<string> => {
          kill((await home.pids()).server ?? 0);
          return 'the server';
        },
      ];
      const end = Date.now() + LAST * 1000;
      const killing = (async () => {
        // A worker, then PostgreSQL, then the server.
        for (let turn = 0; Date.now() + EVERY * 1000 < end; turn += 1) {
          await pause(EVERY * 1000);
          const blow = kills[turn % 3 === 0 ? (turn / 3) % 3 : 2 + (turn % 3)];
          const at = Date.now();
          blows.push({ at, what: (await blow?.()) ?? '' });
        }
      })();
      const inTurn = createTurns();
      const submitting = Array.from({ length: RUNS }, async (_, index) => {
        const kind = KINDS[index % KINDS.length] ?? 'agents';
        const id = `${kind}-${String(index)}`;
        // Over the first half of the time, so that all of it is busy.
        await pause(((LAST * 1000) / 2 / RUNS) * index);
        const ofRun = ['run', `${kind}.yml`, '-i', `who=${id}`];
        const words = kind === 'build' ? ['build', 'definitions/builds/counter.yml'] : ofRun;
        const from = machines[index % 3] as Project;
        let said = '';
        await until(async () => {
          const { code, stderr } = await inTurn(() => from.run(...words, '--id', id, '--detach'));
          said = stderr;
          return code === 0 || code === 2;
        });
        expect([id, /There is a run|problem/.test(said)]).toEqual([id, false]);
        const status = await until(async () => {
          await pause(LOOKS_MS);
          const now = await inTurn(() => runOn(from, id));
          if (now.status === 'waiting') await from.run('approve', `${id}/gate`);
          return ['success', 'partial', 'error', 'cancelled', 'timeout'].includes(now.status) ? now : null;
        });
        return { id, kind, ...status };
      });
      const ended = await Promise.all(submitting);
      await killing;

      expect(ended.map(({ id, status }) => [id, status])).toEqual(ended.map(({ id }) => [id, 'success']));
      for (const { id, kind, output } of ended) {
        if (kind === 'commands') expect([id, output]).toEqual([id, 'a\nb\nc\nd']);
        if (kind === 'agents') expect([id, output]).toEqual([id, `Answer to Question three of ${id}.`]);
        if (kind === 'build') expect([id, output]).toMatchObject([id, { tests: { ok: true, passed: 1, failed: 0 } }]);
      }
      const first = new Map<string, Asked>();
      const again: Asked[] = [];
      for (const one of asked) {
        const before = first.get(one.key);
        first.set(one.key, one);
        if (before === undefined) continue;
        again.push(one);
        const isExcused = blows.some(
          ({ at }) => at >= before.at - JOURNALLED_MS && at <= before.answered + JOURNALLED_MS && at <= one.at,
        );
        expect([one.key, isExcused]).toEqual([one.key, true]);
      }
      expect(await machines[0]?.run('store', 'verify')).toMatchObject({ code: 0 });
      const lines = readFileSync(join(effects, 'commands'), 'utf8').trim().split('\n');
      process.stderr.write(
        `${String(ended.length)} runs, ${String(blows.length)} kills, ${String(asked.length)} questions, ` +
          `${String(again.length)} of them again, ${String(lines.length - new Set(lines).size)} commands again\n`,
      );
    },
    (LAST + 900) * 1000,
  );
});
