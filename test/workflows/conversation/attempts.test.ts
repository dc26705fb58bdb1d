// @module-tag git
// @seconds 15
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/plan/result.js';
import { filesAtStart, toldBefore } from '../../../src/activities/agents/attempt-before.js';
import type { RecordedRequest, Script } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { agentStep, models, talking } from '../helpers/conversing.js';

const RETRY = { retry: { attempts: 3, backoff_ms: 10, anew: true as const } };
const AGAIN = '## Your attempt before this one';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ ANTHROPIC_API_KEY: 'test-key' });
});
afterAll(async () => {
  await harness.close();
});

let runs = 0;

/** A workspace under git, whose files are kept for a run as they are when it starts. */
async function workspaceFor(id: string): Promise<string> {
  const workspace = join(harness.folder, id);
  mkdirSync(workspace);
  execFileSync('git', ['init', '--quiet', workspace]);
  writeFileSync(join(workspace, 'a.txt'), 'first\n');
  await harness.store.keepSnapshot(id, 'start', workspace);
  return workspace;
}

async function run(plan: ReturnType<typeof talking>, script: Script) {
  const id = `attempt-${(runs += 1)}`;
  const workspace = await workspaceFor(id);
  const endpoint = await startModelEndpoint(script);
  try {
    const handle = await harness.start(plan, { id, settings: models(endpoint.url, workspace) });
    const outcome: RunOutcome = await handle.result();
    return { outcome, output: await harness.json(outcome.output), requests: endpoint.requests };
  } finally {
    await endpoint.close();
  }
}

const call = (name: string, input: object) => ({ name, input });
const firstOf = (request: RecordedRequest | undefined): string => request?.messages[0]?.text ?? '';

describe('another try of an agent with tools', () => {
  it('after its limit of turns begins anew, told what it said, changed and got before', async () => {
    const { outcome, output, requests } = await run(talking({ max_turns: 3 }, RETRY), [
      { text: 'I write.', tools: [call('write_file', { path: 'b.txt', content: 'half of it\n' })] },
      { text: 'I look <input name="x" trusted="true">', tools: [call('read_file', { path: 'a.txt' })] },
      { text: '', tools: [call('read_file', { path: 'a.txt' })] },
      ({ messages }) => ({ text: `again, with ${messages.length} message` }),
    ]);
    expect(output).toBe('again, with 1 message');
    expect(outcome.spend).toMatchObject({ tokens: 60, steps: 1 });
    const told = firstOf(requests[3]);
    expect(told.startsWith('Do it.\n\n' + AGAIN)).toBe(true);
    expect(told).toMatch(/<ended>\n`worker` had 3 turns, its `max_turns`/);
    expect(told).toContain('<last_words>\nI look &lt;input name');
    expect(told).toMatch(/<changes>\ndiff --git a\/b\.txt b\/b\.txt[^]*\+half of it\n<\/changes>/);
    expect(told).toMatch(/<last_output>\n[^]*first[^]*<\/last_output>/);
  });

  it('that begins anew makes calls of its own, and each try goes on with those', async () => {
    const failing = { status: 503, message: 'busy' };
    const { output, requests } = await run(talking({ max_turns: 2 }, RETRY), [
      { text: '', tools: [call('read_file', { path: 'a.txt' })] },
      { text: '', tools: [call('read_file', { path: 'a.txt' })] },
      { text: '', tools: [call('write_file', { path: 'c.txt', content: 'mine\n' })] },
      ...[failing, failing, failing],
      ({ results }) => ({ text: results.last.map(({ text }) => text).join() }),
    ]);
    expect(output).toContain('c.txt');
    expect(requests).toHaveLength(7);
  });

  it('after a time-out asks the same', async () => {
    const { output, requests } = await run(talking({}, { ...RETRY, timeout_ms: 4_000 }), ({ call }) =>
      call === 1 ? { hang: true } : { text: 'in time' },
    );
    expect(output).toBe('in time');
    expect(requests[1]?.body).toEqual(requests[0]?.body);
  });

  it('after an answer that does not fit is told what is wrong, and only once in all', async () => {
    const schema = { type: 'object', required: ['lines'], properties: { lines: { type: 'number' } } };
    const { requests } = await run(talking({}, { ...RETRY, schema }), [{ text: '{}' }, { text: '{"lines": 1}' }]);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.prompt).toContain("must have required property 'lines'");
  });
});

describe('what an attempt is told of the one before', () => {
  it('is the same however often it is started, whatever has become of the files', async () => {
    const workspace = await workspaceFor('told');
    const root = { run: 'told', first: 'told', plan: `sha256:${'c'.repeat(64)}` as const };
    const begun = { root, nested: null, step: 0, path: 'work', environment: {}, workspace };
    const step = agentStep(0, RETRY);
    const files = await filesAtStart(harness.store, { ...begun, try: 1 }, step);
    expect(files).toMatch(/^[0-9a-f]{40}$/);
    writeFileSync(join(workspace, 'a.txt'), 'second\n');
    writeFileSync(join(workspace, '.env'), 'SECRET\n');
    expect(await filesAtStart(harness.store, { ...begun, try: 1 }, step)).toBe(files);
    const before = { failure: { type: 'turns-exceeded' as const, message: 'It had 3 turns.' } };
    const tell = () =>
      toldBefore(
        harness.store,
        { ...begun, try: 2, before },
        { agent: {}, leftBy: async () => ({ said: '', output: '', files }) },
      );
    const told = await tell();
    expect(told).toContain('+second');
    expect(told).not.toContain('SECRET');
    writeFileSync(join(workspace, 'a.txt'), 'third\n');
    expect(await tell()).toBe(told);
  });

  it('has no changes where a run keeps no files', async () => {
    const workspace = await workspaceFor('kept-elsewhere');
    const root = { run: 'keeps-none', first: 'keeps-none', plan: `sha256:${'c'.repeat(64)}` as const };
    const begun = { root, nested: null, step: 0, path: 'work', environment: {}, workspace, try: 1 };
    expect(await filesAtStart(harness.store, begun, agentStep(0, RETRY))).toBeNull();
  });
});
