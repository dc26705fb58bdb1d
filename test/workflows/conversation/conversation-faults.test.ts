// @module-tag sandbox
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DecisionReceipt, Gate } from '../../../src/plan/gates/gate.js';
import { MEMO } from '../../../src/plan/names.js';
import type { Script } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { until } from '../../faults/project.js';
import { record } from '../../replay/record.js';
import type { Harness, RunHandle } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { PERMISSIONS, models, talking } from '../helpers/conversing.js';
import { sendDecision } from '../helpers/updating.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ ANTHROPIC_API_KEY: 'test-key' });
});
afterAll(async () => {
  await harness.close();
});

let folders = 0;

async function open(plan: ReturnType<typeof talking>, script: Script) {
  const endpoint = await startModelEndpoint(script);
  const workspace = join(harness.folder, `fault-${(folders += 1)}`);
  await mkdir(workspace);
  const handle = await harness.start(plan, { settings: models(endpoint.url, workspace) });
  return { endpoint, workspace, handle };
}

const gateOf = (handle: RunHandle): Promise<Gate> =>
  until(async () => {
    const { memo } = await harness.client.workflow.getHandle(handle.workflowId).describe();
    const [gate] = (memo?.[MEMO.waiting] ?? []) as Gate[]; // written by the interpreter
    return gate;
  });

const decide = (handle: RunHandle, { path, hash }: Gate, decision: 'approve' | 'reject'): Promise<DecisionReceipt> =>
  sendDecision(handle, { gate: path, decision, hash, by: 'ana' });

const write = { name: 'write_file', input: { path: 'out.txt', content: 'x' } };
const append = { name: 'shell', input: { argv: ['sh', '-c', 'echo x >> log.txt'] } };

it('takes no time of an agent that its provider has it wait for', async () => {
  const plan = talking({}, { timeout_ms: 3_000, retry: { attempts: 1, backoff_ms: 0 } });
  const { endpoint, handle } = await open(plan, ({ call, results }) => {
    if (call === 1) return { status: 429, headers: { 'retry-after': '4' } };
    return results.count === 0 ? { tools: [{ name: 'list_files', input: {} }] } : { text: 'done' };
  });
  expect(await harness.json((await handle.result()).output)).toBe('done');
  await endpoint.close();
});

describe('a call that a person must allow', () => {
  it.each([
    ['approve', 'false'],
    ['reject', 'true'],
  ] as const)('waits at a gate of its own; %s it, and the model is told', async (decision, isError) => {
    const plan = talking({ permissions: { ...PERMISSIONS, ask: ['write'] } });
    const { endpoint, workspace, handle } = await open(plan, ({ results }) =>
      results.count === 0 ? { tools: [write] } : { text: String(results.last[0]?.is_error) },
    );
    const gate = await gateOf(handle);
    expect(gate).toMatchObject({ path: 'work/1.1', kind: 'tool' });
    expect(await harness.json(gate.content)).toEqual({ kind: 'write', path: 'out.txt', input: write.input });
    await decide(handle, gate, decision);
    expect(await harness.json((await handle.result()).output)).toBe(isError);
    await record(`conversation-${decision}`, await handle.fetchHistory());
    expect(await readFile(join(workspace, 'out.txt'), 'utf8').catch(() => null)).toBe(
      decision === 'approve' ? 'x' : null,
    );
    await endpoint.close();
  });

  it('is asked about after three denials in one step', async () => {
    const plan = talking({ permissions: { ...PERMISSIONS, protected: ['/out.txt'] } });
    const { endpoint, handle } = await open(plan, ({ results }) =>
      results.count < 3 ? { tools: [write] } : { text: String(results.last[0]?.is_error) },
    );
    const gate = await gateOf(handle);
    expect(gate.path).toBe('work/3.1');
    await decide(handle, gate, 'reject');
    expect(await harness.json((await handle.result()).output)).toBe('true');
    await endpoint.close();
  });
});

describe('what a person allows that was denied', () => {
  it.each([
    ['approve', 'false'],
    ['reject', 'true'],
  ] as const)('%s: is an error %s', async (decision, isError) => {
    const target = await startModelEndpoint([]);
    const ask = { name: 'http_request', input: { url: `${target.url}/api/tags` } };
    const { endpoint, handle } = await open(
      talking({ uses: [{ kind: 'builtin', name: 'http_request' }] }),
      ({ results }) => (results.count < 3 ? { tools: [ask] } : { text: String(results.last[0]?.is_error) }),
    );
    await decide(handle, await gateOf(handle), decision);
    expect(await harness.json((await handle.result()).output)).toBe(isError);
    await endpoint.close();
    await target.close();
  });
});

describe('a conversation', () => {
  it('goes on where its run continues as new, which its agent does not notice', async () => {
    const held = {
      name: 'shell',
      input: { argv: ['sh', '-c', 'echo x >> log.txt; while [ ! -e go ]; do sleep 0.05; done'] },
    };
    const { endpoint, workspace, handle } = await open(talking(), ({ results }) =>
      results.count === 0 ? { tools: [held] } : results.count === 1 ? { tools: [append] } : { text: 'done' },
    );
    await endpoint.arrival(1);
    // Nothing that a run waits for: it continues as new when it has had so many.
    for (let sent = 0; sent < 2_000; sent += 200)
      await Promise.all(Array.from({ length: 200 }, () => handle.signal('nothing')));
    await writeFile(join(workspace, 'go'), '');
    const outcome = await handle.result();
    expect(await harness.json(outcome.output)).toBe('done');
    expect((await harness.client.workflow.getHandle(handle.workflowId).describe()).runId).not.toBe(
      handle.firstExecutionRunId,
    );
    expect(await readFile(join(workspace, 'log.txt'), 'utf8')).toBe('x\nx\n');
    expect(outcome.spend).toMatchObject({ steps: 1, tokens: 45 });
    expect(endpoint.requests).toHaveLength(3);
    await endpoint.close();
  });

  it('is cancelled in the middle of a tool', async () => {
    const { endpoint, handle } = await open(talking(), [
      { tools: [{ name: 'shell', input: { argv: ['sleep', '600'] } }] },
    ]);
    await endpoint.arrival(1);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect((await harness.client.workflow.getHandle(handle.workflowId).describe()).status.name).toBe('CANCELLED');
    await endpoint.close();
  });
});
