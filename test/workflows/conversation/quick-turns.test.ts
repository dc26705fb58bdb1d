// @seconds 10
import { setTimeout as pause } from 'node:timers/promises';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/plan/plan.js';
import type { AgentStep } from '../../../src/plan/step.js';
import type { Answer, ModelEndpoint, Script } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { record } from '../../replay/record.js';
import { models, talking } from '../helpers/conversing.js';
import type { RunHandle, StartOptions } from '../helpers/harness.js';
import { harnessOfFile } from '../helpers/harness.js';
import { patientWorker } from '../helpers/patient.js';
import { viewOf } from '../helpers/viewing.js';

const harness = await harnessOfFile({ ANTHROPIC_API_KEY: 'none' });
await writeFile(join(harness.folder, 'a.txt'), 'first\n');
const patient = await patientWorker(harness);
const endpoints: ModelEndpoint[] = [];
afterEach(async () => {
  await Promise.all(endpoints.splice(0).map((endpoint) => endpoint.close()));
});

const USAGE = { input: 1_000, output: 200 };
const READ: Answer = {
  tools: [
    { name: 'read_file', input: { path: 'a.txt' } },
    { name: 'list_files', input: { path: '.' } },
  ],
  usage: USAGE,
};
const DONE: Answer = { text: 'read', usage: USAGE };

async function endpointFor(script: Script): Promise<ModelEndpoint> {
  const endpoint = await startModelEndpoint(script);
  endpoints.push(endpoint);
  return endpoint;
}

const quickly = (fields: Partial<AgentStep> = {}): Plan => talking({}, { quick: true, ...fields });
const start = (plan: Plan, { url }: ModelEndpoint, options: StartOptions = {}): Promise<RunHandle> =>
  harness.start(plan, { settings: models(url, harness.folder), ...options });

async function countOf(handle: RunHandle, type: string): Promise<number> {
  return (await harness.events(handle.workflowId)).filter((event) => event.type === type).length;
}

/** Two turns, of which the second's answer is held until it is released. */
function heldSecond(): { script: Script; release: () => void } {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  return { script: [READ, { text: 're', until, rest: 'ad', usage: USAGE }], release };
}

describe('an agent with tools whose turns are quick', () => {
  it('has turns that are answered in a moment, and calls that only look, without an activity', async () => {
    const endpoint = await endpointFor([READ, READ, DONE]);
    const handle = await start(quickly(), endpoint, { id: 'quick-turns', taskQueue: patient });
    const outcome = await handle.result();
    expect(outcome).toMatchObject({ status: 'success', output: { value: 'read' }, spend: { tokens: 3_600, steps: 1 } });
    expect(outcome.spend.usd).toBeCloseTo(0.012);
    expect(await countOf(handle, 'activityTaskScheduled')).toBe(0);
    // Three turns, two pairs of calls, and the end of the run.
    expect(await countOf(handle, 'markerRecorded')).toBe(6);
    await record('quick-turns', await handle.fetchHistory());
    const view = await viewOf(harness, 'quick-turns');
    expect(view.steps).toMatchObject([{ path: 'work', status: 'success', result: { spend: { tokens: 3_600 } } }]);
  });

  it('takes the way of activities for a turn that takes longer, which is asked once', async () => {
    const { script, release } = heldSecond();
    const endpoint = await endpointFor(script);
    const handle = await start(quickly(), endpoint, { id: 'quick-turns-go-on' });
    await endpoint.arrival(2);
    await expect.poll(() => countOf(handle, 'activityTaskScheduled')).toBeGreaterThan(0);
    const { steps } = await viewOf(harness, 'quick-turns-go-on');
    expect(steps).toMatchObject([{ path: 'work', status: 'running', spent: { tokens: 1_200 } }]);
    release();
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { tokens: 2_400, steps: 1 } });
    expect(endpoint.requests).toHaveLength(2);
    await record('quick-turns-go-on', await handle.fetchHistory());
  });

  it('is cancelled while a turn waits: its connection is closed, and what the turns before cost counts', async () => {
    const endpoint = await endpointFor([READ, { hang: true }]);
    const handle = await start(quickly(), endpoint, { id: 'quick-turns-cancelled' });
    const { abandoned } = await endpoint.arrival(2);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    await abandoned;
    const { spend } = await viewOf(harness, 'quick-turns-cancelled');
    expect(spend.tokens).toBeGreaterThanOrEqual(1_200);
  });

  it('tries a turn again that was refused for a moment, and fails with one refused for good', async () => {
    const passing = { status: 529, message: 'overloaded', kind: 'overloaded_error' };
    const again = await start(quickly(), await endpointFor([READ, passing, DONE]));
    expect(await again.result()).toMatchObject({ status: 'success', spend: { tokens: 2_400, steps: 1 } });
    const final = { status: 400, message: 'no such thing', kind: 'invalid_request_error' };
    const options = { id: 'quick-turns-fail', taskQueue: patient };
    const failing = await start(quickly(), await endpointFor([READ, final]), options);
    await expect(failing.result()).rejects.toMatchObject({
      cause: { details: [{ error: expect.stringContaining('no such thing'), spend: { tokens: 1_200 } }] },
    });
    expect(await countOf(failing, 'activityTaskScheduled')).toBe(0);
    const { steps } = await viewOf(harness, 'quick-turns-fail');
    expect(steps).toMatchObject([{ status: 'error', result: { spend: { tokens: 1_200 } } }]);
  });

  it('shares one moment with all that is quick in its workflow task', async () => {
    let asked = 0;
    const endpoint = await endpointFor(() => {
      asked += 1;
      return asked === 12 ? DONE : { text: '', until: pause(200), rest: '', ...READ };
    });
    const handle = await start(quickly(), endpoint);
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { tokens: 14_400 } });
    // A few turns fill a moment; the one that does not fit goes on outside of its task.
    expect(await countOf(handle, 'activityTaskScheduled')).toBeGreaterThan(1);
    expect(endpoint.requests).toHaveLength(12);
  });
});
