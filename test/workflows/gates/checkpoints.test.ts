// @seconds 20
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileDefinition } from '../../../src/compiler/compile.js';
import { findProject } from '../../../src/compiler/project/project.js';
import type { Autonomy, AutonomyLevel } from '../../../src/plan/gates/autonomy.js';
import { AUTONOMY_LEVELS } from '../../../src/plan/gates/autonomy.js';
import type { Gate } from '../../../src/plan/gates/gate.js';
import type { StepResult } from '../../../src/plan/result.js';
import type { ModelEndpoint } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { until } from '../../faults/project.js';
import { models } from '../helpers/conversing.js';
import type { People } from '../helpers/gate-setting.js';
import { continueAsNew, createPeople } from '../helpers/gate-setting.js';
import type { Harness, RunHandle, StartOptions } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

let harness: Harness;
let people: People;
let endpoint: ModelEndpoint;

beforeAll(async () => {
  endpoint = await startModelEndpoint(({ results }) =>
    results.count > 0
      ? { text: 'Done.' }
      : { tools: [{ name: 'write_file', input: { path: 'written.txt', content: 'by a model' } }] },
  );
  harness = await openHarness({ ANTHROPIC_API_KEY: 'test-key' });
  people = createPeople(harness);
  mkdirSync(join(harness.folder, 'definitions', 'agents'), { recursive: true });
  writeFileSync(
    join(harness.folder, 'definitions', 'agents', 'writer.yml'),
    'name: writer\nprompt: You write.\ntools: [write_file]\n',
  );
});
afterAll(async () => {
  await harness.close();
  await endpoint.close();
});

let written = 0;

async function start(text: string, autonomy: Autonomy[] = [], options: StartOptions = {}): Promise<RunHandle> {
  const file = join(harness.folder, 'definitions', `checked-${++written}.yml`);
  writeFileSync(file, text);
  const project = findProject(harness.folder);
  const { plan, texts, problems } = compileDefinition({ file, cwd: harness.folder, project, config: {} });
  if (plan === null) throw new Error(problems.map(({ message }) => message).join('\n'));
  for (const long of texts.values()) await harness.store.putAlways(long);
  const settings = { ...models(endpoint.url, harness.folder), ...options.settings };
  return harness.start(plan, {
    ...options,
    settings: { ...settings, ...(autonomy.length === 0 ? {} : { autonomy }) },
  });
}

async function ended(handle: RunHandle): Promise<Record<string, StepResult>> {
  await handle.result().catch(() => undefined);
  const record = await harness.store.readRun(handle.workflowId);
  if (record === null) throw new Error('The run has left no record');
  return harness.results(record);
}

const EACH = `
execution: dag
steps:
  - {id: low, agent: writer, prompt: "Write it: \${what}", severity: low}
  - {id: medium, command: [touch, "medium-\${tag}"], severity: medium}
  - {id: high, command: [touch, "high-\${tag}"], severity: high, type: commit}
  - {id: critical, tool: write_file, inputs: {path: "critical-\${tag}", content: x}, severity: critical, type: deploy}
`;

const WAITING: Record<AutonomyLevel, string[]> = {
  // Beside the steps themselves the call that the writer makes.
  hitl: ['critical', 'high', 'low', 'medium'],
  supervised: ['critical', 'high'],
  autonomous: ['critical'],
  yolo: [],
};

describe('A step with a severity', () => {
  it.each(AUTONOMY_LEVELS)('waits at %s before it acts, and for what is shown', async (level) => {
    const handle = await start(EACH, [{ level }], { input: { what: 'a text', tag: level } });
    const wanted = WAITING[level];
    if (wanted.length > 0) {
      const gates = await people.open(handle.workflowId, wanted.length);
      expect(gates.map(({ path }) => path).sort()).toEqual(wanted);
      for (const path of wanted)
        if (path !== 'low') expect(existsSync(join(harness.folder, `${path}-${level}`))).toBe(false);
      for (const { path, hash } of gates)
        await people.decide(handle.workflowId, { gate: path, decision: 'approve', hash, by: 'ana' });
    }
    if (level === 'hitl') {
      const call = await people.gate(handle.workflowId, ({ path }) => path.startsWith('low/'));
      expect(call).toMatchObject({ kind: 'tool', message: expect.stringContaining('the autonomy is hitl') });
      await people.say(handle.workflowId, 'ana');
    }
    const steps = await ended(handle);
    for (const [path, step] of Object.entries(steps))
      expect(step, path).toMatchObject({ status: 'success', attempts: 1 });
    for (const path of ['medium', 'high', 'critical'])
      expect(existsSync(join(harness.folder, `${path}-${level}`))).toBe(true);
  });

  it('shows exactly what it would do', async () => {
    const handle = await start(EACH, [{ level: 'hitl' }], { input: { what: 'a text', tag: 'shown' } });
    const gates = await people.open(handle.workflowId, 4);
    const shown = Object.fromEntries(
      await Promise.all(gates.map(async ({ path, content }) => [path, await harness.json(content)] as const)),
    );
    expect(shown).toEqual({
      low: { agent: 'writer', instruction: 'You write.', message: 'Write it: a text', tools: ['write_file'] },
      medium: { command: ['touch', 'medium-shown'], env: {} },
      high: { command: ['touch', 'high-shown'], env: {} },
      critical: { kind: 'write', path: 'critical-shown', input: { path: 'critical-shown', content: 'x' } },
    });
    expect(gates.find(({ path }) => path === 'high')).toMatchObject({
      kind: 'checkpoint',
      fixed: true,
      message:
        'The step `high` is about to act (command: `touch`). Its severity is high, and the autonomy is hitl. Allow it?',
    });
    await handle.terminate();
  });

  it('that is rejected has failed without acting', async () => {
    const handle = await start('steps:\n  - {id: it, command: [touch, rejected], severity: critical}\n');
    await people.say(handle.workflowId, 'ana', { decision: 'reject', comment: 'not today' });
    expect(await ended(handle)).toMatchObject({
      it: { status: 'error', failure: 'rejected', error: 'rejected by ana: not today' },
    });
    expect(existsSync(join(harness.folder, 'rejected'))).toBe(false);
  });

  it('is approved by `--yes`, and not done unattended', async () => {
    const text = (file: string): string => `steps:\n  - {id: it, command: [touch, ${file}], severity: high}\n`;
    const yes = await start(text('by-yes'), [], { settings: { gates: 'approve' } });
    expect(await ended(yes)).toMatchObject({ it: { status: 'success' } });
    const alone = await start(text('alone'), [], { settings: { gates: 'fallback' } });
    expect(await ended(alone)).toMatchObject({ it: { status: 'error', failure: 'rejected' } });
    expect(existsSync(join(harness.folder, 'alone'))).toBe(false);
  });

  it('is asked about once, however often it is tried and the run continues as new', async () => {
    const handle = await start(
      'steps:\n  - {id: it, command: [ls, "nowhere-${tag}"], severity: high, retry: {attempts: 2, backoff: 1ms}}\n' +
        '  - {id: after, set: {done: true}}\n',
      [],
      { input: { tag: 'x' } },
    );
    await people.gate(handle.workflowId);
    await continueAsNew(harness, handle.workflowId);
    await people.say(handle.workflowId, 'ana');
    const { it: step } = await ended(handle);
    expect(step).toMatchObject({ status: 'error', attempts: 2, spend: { steps: 1 } });
  });

  it('in a nested workflow waits where any workflow around says so', async () => {
    writeFileSync(
      join(harness.folder, 'definitions', 'inner.yml'),
      'name: inner\nautonomy: yolo\nsteps:\n  - {id: act, command: [touch, "inner-${tag}"], severity: high}\n',
    );
    const text = (autonomy: string): string =>
      `autonomy: ${autonomy}\nsteps:\n  - {id: nest, workflow: ./inner.yml, inputs: {tag: "${autonomy}"}}\n`;
    const strict = await start(text('supervised'));
    const nested = (run: string): Promise<Gate> => until(() => people.gate(`${run}/nest`).catch(() => null));
    const gate = await nested(strict.workflowId);
    expect(gate).toMatchObject({ path: 'nest/act', kind: 'checkpoint' });
    await people.say(`${strict.workflowId}/nest`, 'ana');
    expect(await ended(strict)).toMatchObject({ nest: { status: 'success' } });
    const free = await start(text('yolo'));
    expect(await ended(free)).toMatchObject({ nest: { status: 'success' } });
    const bound = await start(text('yolo'), [{ level: 'supervised' }]);
    await nested(bound.workflowId);
    await people.say(`${bound.workflowId}/nest`, 'ana');
    expect(await ended(bound)).toMatchObject({ nest: { status: 'success' } });
  });

  it('of a foreach waits for each item, with what that item is', async () => {
    const handle = await start(
      'steps:\n  - {id: each, foreach: [a, b], on_error: continue, command: [touch, "item-${item}"], ' +
        'severity: critical}\n',
    );
    const gates = await people.open(handle.workflowId, 2);
    expect(gates.map(({ path }) => path).sort()).toEqual(['each/0', 'each/1']);
    for (const { path, hash } of gates)
      await people.decide(handle.workflowId, {
        gate: path,
        decision: path === 'each/0' ? 'approve' : 'reject',
        hash,
        by: 'ana',
      });
    await ended(handle);
    expect(existsSync(join(harness.folder, 'item-a'))).toBe(true);
    expect(existsSync(join(harness.folder, 'item-b'))).toBe(false);
  });
});
