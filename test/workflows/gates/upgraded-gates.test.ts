// @module-tag sandbox
// @seconds 15
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Activities } from '../../../src/activities/contract.js';
import { gateHashOf } from '../../../src/activities/values/content-hash.js';
import type { Gate } from '../../../src/plan/gates/gate.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import type { ToolStep } from '../../../src/plan/step.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { plan, stepBase } from '../../plan/helpers/build-plan.js';
import { record } from '../../replay/record.js';
import type { People } from '../helpers/gate-setting.js';
import { continueAsNew, createPeople } from '../helpers/gate-setting.js';
import type { Harness, RunHandle } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { PERMISSIONS, models, talking } from '../helpers/conversing.js';

let harness: Harness;
let people: People;
beforeAll(async () => {
  harness = await openHarness({ ANTHROPIC_API_KEY: 'test-key' });
  people = createPeople(harness);
});
afterAll(async () => {
  await harness.close();
});

/** The last version, which says the same in other words. */
const lastVersion = (own: Activities): Partial<Activities> => {
  const inOldWords = async <G extends Pick<Gate, 'content' | 'hash' | 'message'>>(gate: G): Promise<G> => {
    const message = `Old words. ${gate.message}`;
    return { ...gate, message, hash: gateHashOf({ message, content: await harness.json(gate.content) }) };
  };
  return {
    renderGate: async (call) => {
      const rendered = await own.renderGate(call);
      return 'refusal' in rendered ? rendered : inOldWords(rendered);
    },
    prepareTool: async (call) => {
      const prepared = await own.prepareTool(call);
      return 'hash' in prepared ? inOldWords(prepared) : prepared;
    },
  };
};

const COMMAND = ['sh', '-c', 'echo "$0" >> done.txt'];
const ASKING = { ...PERMISSIONS, ask: ['command'] };
const done = (name: string): Promise<string> =>
  readFile(join(harness.folder, 'done.txt'), 'utf8').then(
    (text) =>
      text
        .split('\n')
        .filter((line) => line === name)
        .join(' '),
    () => '',
  );

const literal = (value: string | string[]) => ({ kind: 'literal', value }) as const;

/** An agent that wants to run a command once, and says what it was told. */
async function conversation(
  name: string,
  gates: RunSettings['gates'] = 'ask',
): Promise<{ handle: RunHandle; close: () => Promise<void> }> {
  const endpoint = await startModelEndpoint(({ results }) =>
    results.count === 0
      ? { tools: [{ name: 'shell', input: { argv: [...COMMAND, name] } }] }
      : { text: String(results.last[0]?.is_error) },
  );
  const handle = await harness.start(talking({ permissions: ASKING }), {
    id: name,
    taskQueue: name,
    settings: models(endpoint.url, harness.folder, { gates }),
  });
  return { handle, close: () => endpoint.close() };
}

async function step(
  name: string,
  gates: RunSettings['gates'] = 'ask',
): Promise<{ handle: RunHandle; close: () => Promise<void> }> {
  const work: ToolStep = {
    ...stepBase(0, { id: 'work' }),
    kind: 'tool',
    tool: { kind: 'builtin', name: 'shell' },
    permissions: ASKING,
    schema: null,
    effect: 'workspace',
    inputs: { argv: literal([...COMMAND, name]) },
  };
  return {
    handle: await harness.start(plan([work]), { id: name, taskQueue: name, settings: { gates } }),
    close: () => Promise.resolve(),
  };
}

const KINDS = [
  ['an agent', conversation],
  ['a tool step', step],
] as const;

describe('an approval of a call that the last version of Perdure asked for', () => {
  it.each(KINDS)('is asked for again, as it is now, when %s would act on it, and then holds', async (_kind, open) => {
    const name = `again-${open.name}`;
    const stop = await harness.work(name, lastVersion);
    const { handle, close } = await open(name);
    const old = await people.gate(name);
    expect(old.message).toMatch(/^Old words\./);
    await stop();
    await writeFile(join(harness.folder, 'done.txt'), '');
    const stopNew = await harness.work(name);
    await people.say(name, 'ana');
    const renewed = await people.gate(name, ({ hash }) => hash !== old.hash);
    expect(renewed.message).toMatch(/^Asked again: .*wants to use|^Asked again: .*calls/);
    expect(await harness.json(renewed.content)).toEqual(await harness.json(old.content));
    expect(await done(name)).toBe('');
    await record(`asked-again-${open.name}`, await handle.fetchHistory());
    // Also a run that continues as new meanwhile asks for the same.
    await continueAsNew(harness, name);
    expect((await people.gate(name)).hash).toBe(renewed.hash);
    await people.say(name, 'ana');
    const { status, spend } = await handle.result();
    expect({ status, steps: spend.steps, done: await done(name) }).toEqual({
      status: 'success',
      steps: 1,
      done: name,
    });
    await stopNew();
    await close();
  });

  it.each(KINDS)('is not needed where %s is refused', async (_kind, open) => {
    const name = `refused-${open.name}`;
    const stop = await harness.work(name, lastVersion);
    const { handle, close } = await open(name);
    await people.gate(name);
    await stop();
    const stopNew = await harness.work(name);
    await people.say(name, 'ana', { decision: 'reject' });
    await handle.result().catch(() => undefined);
    expect(await done(name)).toBe('');
    await stopNew();
    await close();
  });

  it.each(KINDS)('counts for nothing where nobody is there to ask again, in %s', async (_kind, open) => {
    const name = `alone-${open.name}`;
    const stop = await harness.work(name, lastVersion);
    const { handle, close } = await open(name, 'approve');
    await handle.result().catch(() => undefined);
    const record = await harness.store.readRun(name);
    if (record === null) throw new Error('The run has left no record');
    const { work } = await harness.results(record);
    // The agent is told that its call failed.
    expect(work?.failure ?? (await harness.json(work?.output ?? null))).toBe(open === step ? 'leave-changed' : 'true');
    expect(await done(name)).toBe('');
    await stop();
    await close();
  });
});
