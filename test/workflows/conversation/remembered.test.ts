import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Gate } from '../../../src/plan/gates/gate.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { plan } from '../../plan/helpers/build-plan.js';
import { PERMISSIONS, WORKER, agent, agentStep, models } from '../helpers/conversing.js';
import type { RunHandle } from '../helpers/harness.js';
import { openForAll, decide, gateOf, harness, open, said } from '../helpers/making.js';
import { sendDecision } from '../helpers/updating.js';
import { viewOf } from '../helpers/viewing.js';

openForAll();

const ASKING = { permissions: { ...PERMISSIONS, ask: ['write'] } };
const write = (content: string) => ({ tools: [{ name: 'write_file', input: { path: 'a.txt', content } }] });

const remember = (handle: RunHandle, { path, hash }: Gate) =>
  sendDecision(handle, { gate: path, decision: 'approve', hash, by: 'ana', remember: true });

async function outputOf(handle: RunHandle): Promise<unknown> {
  return harness.json((await handle.result()).output);
}

describe('an approval for the rest of the run', () => {
  it('allows the same call, and no other, and is told to whoever looks at the run', async () => {
    const turns = [() => write('one'), () => write('one'), () => write('two'), said];
    const { handle, endpoint, folder } = await open(turns, said, ASKING);
    await remember(handle, await gateOf(handle, ({ path }) => path.endsWith('/1.1')));
    const other = await gateOf(handle, ({ path }) => path.endsWith('/3.1'));
    expect(await harness.json(other.content)).toMatchObject({ input: { content: 'two' } });
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one');
    expect((await viewOf(harness, handle.workflowId)).remembered).toMatchObject([
      { gate: 'work/1.1', by: ['ana'], message: expect.stringContaining('wants to use `write_file`') },
    ]);
    await decide(handle, other, 'reject');
    expect(await outputOf(handle)).toMatch(/^failed: Not allowed by ana/);
    await endpoint.close();
  });

  it('is not what an approval of one call is, and no rejection has it', async () => {
    const { handle, endpoint } = await open([() => write('one'), () => write('one'), said], said, ASKING);
    const first = await gateOf(handle);
    const { path: gate, hash } = first;
    await expect(
      sendDecision(handle, { gate, decision: 'reject', hash, by: 'ana', remember: true }),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('nothing is remembered of it') } });
    await decide(handle, first, 'approve');
    await decide(handle, await gateOf(handle, ({ path }) => path.endsWith('/2.1')), 'approve');
    expect(await outputOf(handle)).toBe('Replaced a.txt (3 bytes).');
    await endpoint.close();
  });

  it('holds where the run has continued as new', async () => {
    const endpoint = await startModelEndpoint((request) =>
      request.results.count === 0 ? write('one') : said(request),
    );
    const two = plan([agentStep(0), agentStep(1, { id: 'again', needs: [{ step: 0, skip: false }] })], {
      agents: { [WORKER]: agent(ASKING) },
    });
    const handle = await harness.start(two, {
      linkSteps: 1,
      settings: models(endpoint.url, harness.folder, { gates: 'ask' }),
    });
    await remember(handle, await gateOf(handle));
    expect(await outputOf(handle)).toBe('Replaced a.txt (3 bytes).');
    const { runId } = (await harness.client.workflow.getHandle(handle.workflowId).describe()).raw.workflowExecutionInfo!
      .execution!;
    expect(runId).not.toBe(handle.firstExecutionRunId);
    await endpoint.close();
  });
});
