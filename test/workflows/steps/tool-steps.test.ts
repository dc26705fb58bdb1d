import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { compileDefinition } from '../../../src/compiler/compile.js';
import { findProject } from '../../../src/compiler/project/project.js';
import type { Json } from '../../../src/plan/values/json.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { StepResult } from '../../../src/plan/result.js';
import { until } from '../../faults/project.js';
import type { People } from '../helpers/gate-setting.js';
import { createPeople } from '../helpers/gate-setting.js';
import { record } from '../../replay/record.js';
import type { Harness, RunHandle, StartOptions } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { viewOf } from '../helpers/viewing.js';

const COUNT = `name: count
description: Counts.
kind: command
version: 1
inputs: {schema: {type: object, properties: {text: {type: string, minLength: 3}}, required: [text]}}
outputs: {format: json, schema: {type: integer}}
exec: {command: {entrypoint: wc, args: ["-w"], stdin: "\${text}"}}
`;
const DEPLOY = COUNT.replace('name: count', 'name: deploy').concat('approval: {required: true}\n');

let harness: Harness;
let people: People;

beforeAll(async () => {
  harness = await openHarness();
  people = createPeople(harness);
  for (const [name, text] of [
    ['count', COUNT],
    ['deploy', DEPLOY],
  ] as const) {
    mkdirSync(join(harness.folder, 'definitions', 'tools', name), { recursive: true });
    writeFileSync(join(harness.folder, 'definitions', 'tools', name, 'tool.yml'), text);
  }
});
afterAll(async () => {
  await harness.close();
});

let written = 0;

async function start(steps: string, options: StartOptions = {}): Promise<RunHandle> {
  const file = join(harness.folder, 'definitions', `steps-${++written}.yml`);
  writeFileSync(file, `steps:\n${steps}`);
  const { plan, texts, problems } = compileDefinition({
    file,
    cwd: harness.folder,
    project: findProject(harness.folder),
    config: {},
  });
  if (plan === null) throw new Error(problems.map(({ message }) => message).join('\n'));
  for (const long of texts.values()) await harness.store.putAlways(long);
  return harness.start(plan, options);
}

async function ended(handle: RunHandle): Promise<Record<string, StepResult & { json: Json }>> {
  await handle.result().catch(() => undefined);
  const written = await harness.store.readRun(handle.workflowId);
  if (written === null) throw new Error('The run has left no record');
  const results = await harness.results(written);
  return Object.fromEntries(
    await Promise.all(
      Object.entries(results).map(
        async ([name, result]) => [name, { ...result, json: await harness.json(result.output) }] as const,
      ),
    ),
  );
}

describe('A tool step', () => {
  it('calls the tool with values of other steps, and gives what that gave', async () => {
    const handle = await start(
      `
  - {id: write, tool: write_file, inputs: {path: "notes/a.txt", content: "one two \${more}"}}
  - {id: count, tool: count, inputs: {text: "\${steps.write.output}"}, timeout: 20s}
  - {id: look, tool: list_files, inputs: {path: notes}, when: "\${steps.count.output > 3}"}
`,
      { input: { more: 'three' } },
    );
    const steps = await ended(handle);
    await record('tool-steps', await handle.fetchHistory());
    expect(readFileSync(join(harness.folder, 'notes', 'a.txt'), 'utf8')).toBe('one two three');
    expect(steps).toMatchObject({
      write: { status: 'success', json: 'Wrote notes/a.txt (13 bytes).', agent: 'write_file' },
      count: { status: 'success', json: 4, agent: 'count', spend: { usd: 0, tokens: 0, steps: 1 } },
      look: { status: 'success', json: 'notes/a.txt' },
    });
  });

  it('that takes a moment is done within the workflow task, and one that may take longer is an activity', async () => {
    const handle = await start(`
  - {id: write, tool: write_file, inputs: {path: "q/a.txt", content: x}}
  - {id: read, tool: read_file, inputs: {path: "q/a.txt"}, needs: [write]}
  - {id: wide, tool: list_files, inputs: {path: q}, needs: [read]}
  - {id: soon, tool: list_files, inputs: {path: q}, needs: [wide], timeout: 10s}
  - {id: lost, tool: read_file, inputs: {path: "q/b.txt"}, needs: [soon], on_error: continue}
`);
    const steps = await ended(handle);
    expect(steps).toMatchObject({
      read: { status: 'success', json: expect.stringContaining('x') },
      wide: { status: 'success', json: 'q/a.txt' },
      soon: { status: 'success', json: 'q/a.txt' },
      lost: { status: 'error', failure: 'tool-failed' },
    });
    const { events = [] } = await handle.fetchHistory();
    const activities = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.activityId ?? []);
    expect(activities).toEqual(['wide']);
    const view = await viewOf(harness, handle.workflowId);
    expect(view.steps.map((step) => [step.path, step.status])).toEqual([
      ['write', 'success'],
      ['read', 'success'],
      ['wide', 'success'],
      ['soon', 'success'],
      ['lost', 'error'],
    ]);
  });

  it('that takes a moment is judged and made at once, and asked about where it is not simply allowed', async () => {
    const handle = await start(
      `
  - {id: write, tool: write_file, inputs: {path: "j/a.txt", content: "x"}}
  - {id: read, tool: read_file, inputs: {path: "j/a.txt"}, needs: [write]}
  - {id: ask, tool: write_file, inputs: {path: "j/b.txt", content: "y"}, permissions: {ask: [write]}, needs: [read]}
`,
      { lease: { steps: 3 } },
    );
    await people.gate(handle.workflowId);
    expect(existsSync(join(harness.folder, 'j', 'b.txt'))).toBe(false);
    const markers = async (): Promise<number> =>
      (await harness.events(handle.workflowId)).filter(({ type }) => type === 'markerRecorded').length;
    // Of the third step: what is withheld, and what it would do.
    expect(await markers()).toBe(4);
    const waiting = await viewOf(harness, handle.workflowId);
    expect(waiting.steps.at(-1)).toMatchObject({ path: 'ask', status: 'waiting' });
    await people.say(handle.workflowId, 'ana');
    expect(await ended(handle)).toMatchObject({ ask: { status: 'success', attempts: 1, spend: { steps: 1 } } });
    await record('judged-tool-steps', await handle.fetchHistory());
  });

  it('that looks is done in a row with those after it, and each has its own output, log and place', async () => {
    const reads = Array.from(
      { length: 20 },
      (_, index) => `  - {id: r${index}, tool: read_file, inputs: {path: r.txt}}\n`,
    );
    const steps = `
  - {id: write, tool: write_file, inputs: {path: r.txt, content: "\${text}"}}
${reads.join('')}  - {id: none, tool: read_file, inputs: {path: nowhere}, on_error: continue}
  - {id: told, tool: write_file, inputs: {path: told.txt, content: "\${steps.r3.output}"}}
  - {id: check, tool: read_file, inputs: {path: told.txt}}
`;
    const come = async (options: StartOptions): Promise<Record<string, unknown>> => {
      for (const file of ['r.txt', 'told.txt']) rmSync(join(harness.folder, file), { force: true });
      const handle = await start(steps, { input: { text: 'x' }, ...options });
      const results = await ended(handle);
      const { steps: seen, spend } = await viewOf(harness, handle.workflowId);
      const logs = await Promise.all(
        seen.map(async ({ path }) =>
          (await harness.store.readLog(handle.workflowId, path, 0)).lines.map(({ stream, text }) => [stream, text]),
        ),
      );
      if (options.looksBefore !== true) await record('tool-rows', await handle.fetchHistory());
      const markers = (await harness.events(handle.workflowId)).filter(({ type }) => type === 'markerRecorded').length;
      return {
        markers,
        results: Object.values(results).map(({ duration_ms: _took, ...result }) => result),
        seen: seen.map(({ path, status, attempt, spent }) => ({ path, status, attempt, spent })),
        spend,
        logs,
      };
    };
    const { markers: inRows, ...rows } = await come({});
    const { markers: singly, ...alone } = await come({ looksBefore: true });
    expect(rows).toEqual(alone);
    expect(Number(inRows)).toBeLessThan(Number(singly) / 2);
  });

  it.each([
    ['is allowed', 'tool: write_file, inputs: {path: same.txt, content: x}', 'success'],
    ['is denied', 'tool: write_file, inputs: {path: ../x, content: x}, retry: {attempts: 3}', 'error'],
    ['fails', 'tool: read_file, inputs: {path: nowhere}, retry: {attempts: 2, backoff: 1ms}', 'error'],
    ['does not fit', 'tool: read_file, inputs: {path: "${none}"}, retry: {attempts: 3}', 'error'],
    [
      'is asked about',
      'tool: write_file, inputs: {path: same.txt, content: y}, permissions: {ask: [write]}',
      'success',
    ],
    ['is rejected', 'tool: read_file, inputs: {path: same.txt}, severity: critical', 'error'],
  ])('comes to the same where its call %s, whoever judges it', async (what, step, status) => {
    const come = async (options: StartOptions): Promise<unknown> => {
      writeFileSync(join(harness.folder, 'same.txt'), 'x');
      const handle = await start(`  - {id: it, ${step}}\n`, { input: { none: '' }, lease: { steps: 5 }, ...options });
      if (what === 'is asked about' || what === 'is rejected') {
        await people.gate(handle.workflowId);
        await people.say(handle.workflowId, 'ana', what === 'is rejected' ? { decision: 'reject' } : {});
      }
      const { duration_ms: _took, ...it } = (await ended(handle))['it'] ?? {};
      const { steps, spend } = await viewOf(harness, handle.workflowId);
      return {
        it,
        spend,
        steps: steps.map(({ path, status: how, attempt, spent }) => ({ path, how, attempt, spent })),
      };
    };
    const judgedInCall = await come({});
    expect(judgedInCall).toMatchObject({ it: { status } });
    expect(judgedInCall).toEqual(await come({ looksBefore: true }));
  });

  it('fails with a word for what is wrong', async () => {
    const cases: [step: string, failure: string, says: RegExp][] = [
      ['tool: count, inputs: {text: "${short}"}', 'value-invalid', /fewer than 3/],
      ['tool: count, inputs: {text: "a b c"}, schema: {maximum: 2}', 'answer-invalid', /must be <= 2/],
      [
        'tool: read_file, inputs: {path: nowhere.txt}, retry: {attempts: 2, backoff: 1ms}',
        'tool-failed',
        /nowhere\.txt/,
      ],
      ['tool: read_file, inputs: {path: "${up}/etc/passwd"}', 'tool-refused', /outside/],
      ['tool: http_request, inputs: {url: "http://example.org/"}', 'tool-refused', /network is closed/],
      ['tool: shell, inputs: {argv: [unheard-of]}', 'tool-refused', /unheard-of/],
    ];
    const steps = await ended(
      await start(cases.map(([step]) => `  - {${step}, on_error: continue}\n`).join(''), {
        input: { short: 'a', up: '..' },
      }),
    );
    for (const [index, [, failure, says]] of cases.entries()) {
      expect(steps[index]).toMatchObject({
        status: 'error',
        failure,
        attempts: failure === 'tool-failed' ? 2 : expect.any(Number),
      });
      expect(steps[index]?.error).toMatch(says);
    }
  });

  it('may do what its own permissions say, and what a person allowed', async () => {
    let asked = 0;
    const server = createServer((_, answer) => {
      asked += 1;
      answer.writeHead(200).end('hello');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => {
      server.close();
    });
    const host = `localhost:${(server.address() as AddressInfo).port}`;
    const handle = await start(
      `  - {id: it, tool: http_request, inputs: {url: "http://${host}/x"}, permissions: {network: ["${host}"], ` +
        `ask: [request]}}\n`,
    );
    const gate = await people.gate(handle.workflowId);
    expect(gate).toMatchObject({
      path: 'it',
      kind: 'tool',
      message: expect.stringContaining('The step `it` calls `http_request`.'),
    });
    expect(await harness.json(gate.content)).toEqual({
      kind: 'request',
      method: 'GET',
      url: `http://${host}/x`,
      input: { url: `http://${host}/x` },
    });
    expect(asked).toBe(0);
    await people.say(handle.workflowId, 'ana');
    expect(await ended(handle)).toMatchObject({ it: { status: 'success', json: { status: 200, body: 'hello' } } });
    expect(asked).toBe(1);
  });

  it('of a tool that needs approval shows the whole call, and ends as it is decided', async () => {
    const handle = await start('  - {id: it, tool: deploy, inputs: {text: to the moon}}\n');
    const gate = await people.gate(handle.workflowId);
    expect(await harness.json(gate.content)).toEqual({
      kind: 'call',
      what: 'tool',
      name: 'deploy',
      input: { text: 'to the moon' },
    });
    await people.say(handle.workflowId, 'ana', { decision: 'reject', comment: 'not today' });
    expect(await ended(handle)).toMatchObject({
      it: { status: 'error', failure: 'rejected', error: 'rejected by ana: not today' },
    });
    const alone = await ended(
      await start('  - {id: it, tool: deploy, inputs: {text: to the moon}}\n', { settings: { gates: 'approve' } }),
    );
    expect(alone).toMatchObject({ it: { status: 'success', json: 3 } });
  });

  it('that waits for a person holds no slot', async () => {
    const file = join(harness.folder, 'beside.txt');
    const steps =
      '  - {id: it, tool: deploy, inputs: {text: to the moon}}\n  - {id: beside, tool: write_file, inputs: ' +
      '{path: beside.txt, content: done}}\nexecution: parallel\nbudgets: {max_parallel: 1}\n';
    const handle = await start(steps, { settings: { budget: { ...NO_BUDGETS, max_parallel: 1 } } });
    await people.gate(handle.workflowId);
    await until(() => existsSync(file));
    await people.say(handle.workflowId, 'ana');
    expect(await ended(handle)).toMatchObject({ it: { status: 'success', json: 3 }, beside: { status: 'success' } });
  });

  it('is taken over by a rerun without asking again', async () => {
    const steps = '  - {id: it, tool: deploy, inputs: {text: to the stars}}\n';
    const handle = await start(steps);
    await people.gate(handle.workflowId);
    await people.say(handle.workflowId, 'ana');
    expect(await ended(handle)).toMatchObject({ it: { status: 'success', reused: false } });
    const reuse = { run: handle.workflowId, from: handle.firstExecutionRunId, fresh: [], done: null, changed: false };
    expect(await ended(await start(steps, { settings: { reuse } }))).toMatchObject({
      it: { status: 'success', json: 3, reused: true },
    });
  });
});
