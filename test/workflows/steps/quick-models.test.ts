// @seconds 15
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { STEER } from '../../../src/plan/names.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { AgentStep } from '../../../src/plan/step.js';
import type { Answer, ModelEndpoint, Script } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { needs, plan } from '../../plan/helpers/build-plan.js';
import { agent, agentStep, models, WORKER } from '../helpers/conversing.js';
import type { RunHandle, StartOptions } from '../helpers/harness.js';
import { harnessOfFile } from '../helpers/harness.js';
import { patientWorker } from '../helpers/patient.js';
import { record } from '../../replay/record.js';

const harness = await harnessOfFile({ ANTHROPIC_API_KEY: 'none' });
const patient = await patientWorker(harness);
const endpoints: ModelEndpoint[] = [];
afterEach(async () => {
  await Promise.all(endpoints.splice(0).map((endpoint) => endpoint.close()));
});

const ANSWER: Answer = { text: 'yes', usage: { input: 1_000, output: 200 } };
const PAID = { usd: 0.004, tokens: 1_200 };

async function endpointFor(script: Script): Promise<ModelEndpoint> {
  const endpoint = await startModelEndpoint(script);
  endpoints.push(endpoint);
  return endpoint;
}

/** So many questions after one another. */
function questions(count: number, fields: Partial<AgentStep> = {}): Plan {
  return plan(
    Array.from({ length: count }, (_, index) =>
      agentStep(index, {
        id: `q${index}`,
        quick: true,
        timeout_ms: 10_000,
        retry: { attempts: 1, backoff_ms: 1 },
        needs: index === 0 ? [] : needs(index - 1),
        ...fields,
      }),
    ),
    { agents: { [WORKER]: agent({ uses: [] }) } },
  );
}

const start = (asked: Plan, { url }: ModelEndpoint, more: StartOptions = {}): Promise<RunHandle> =>
  harness.start(asked, { settings: models(url, harness.folder), ...more });

async function typesOf(handle: RunHandle): Promise<string[]> {
  return (await harness.events(handle.workflowId)).map(({ type }) => type);
}

/** An answer whose second part waits until it is let go. */
function held(): { answer: Answer; release: () => void } {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { answer: { text: 'y', until, rest: 'es' }, release };
}

/** The longest time that a workflow task of the run has taken so far, in milliseconds. */
async function longestTask(handle: RunHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  let begun = 0;
  let longest = 0;
  for (const event of events ?? []) {
    const at = Number(event.eventTime?.seconds ?? 0) * 1000 + (event.eventTime?.nanos ?? 0) / 1e6;
    if (event.workflowTaskStartedEventAttributes) begun = at;
    if (event.workflowTaskCompletedEventAttributes) longest = Math.max(longest, at - begun);
  }
  return longest;
}

describe('a quick question to a model', () => {
  it('that is answered in a moment takes no activity, and what it spent counts', async () => {
    const endpoint = await endpointFor(() => ANSWER);
    const handle = await start(questions(3), endpoint, { taskQueue: patient });
    const outcome = await handle.result();
    expect(outcome).toMatchObject({ status: 'success', output: { value: 'yes' }, spend: { tokens: 3_600, steps: 3 } });
    expect(outcome.spend.usd).toBeCloseTo(0.012);
    expect(await typesOf(handle)).not.toContain('activityTaskScheduled');
    expect(await harness.results(outcome)).toMatchObject({ q0: { status: 'success', spend: PAID } });
    expect(endpoint.requests).toHaveLength(3);
    await record('quick-model', await handle.fetchHistory());
  });

  it('that takes longer goes on as an activity, and is asked once', async () => {
    const { answer, release } = held();
    const endpoint = await endpointFor([answer]);
    const handle = await start(questions(1), endpoint);
    await expect.poll(() => typesOf(handle)).toContain('activityTaskScheduled');
    release();
    expect(await handle.result()).toMatchObject({ status: 'success', output: { value: 'yes' }, spend: { steps: 1 } });
    expect(endpoint.requests).toHaveLength(1);
    await record('quick-model-goes-on', await handle.fetchHistory());
  });

  it('that is never answered is cancelled while it waits, and its connection is closed', async () => {
    const endpoint = await endpointFor([{ hang: true }]);
    const handle = await start(questions(1, { timeout_ms: 600_000 }), endpoint, { taskTimeout: '2m' });
    const { abandoned } = await endpoint.arrival(1);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    await abandoned;
    // A task that waits for a local activity to its end hears of nothing for most of its time.
    expect(await longestTask(handle)).toBeLessThan(60_000);
  });

  it('lets its run hear of a pause while it waits', async () => {
    const { answer, release } = held();
    const endpoint = await endpointFor([answer, ANSWER]);
    const handle = await start(questions(2), endpoint);
    await endpoint.arrival(1);
    await handle.signal(STEER, { kind: 'pause', by: 'ana', id: 'p' });
    await expect.poll(async () => JSON.stringify((await handle.describe()).memo ?? {})).toContain('pause');
    release();
    await expect.poll(() => typesOf(handle)).toContain('activityTaskCompleted');
    expect(endpoint.requests).toHaveLength(1);
    await handle.signal(STEER, { kind: 'resume', by: 'ana', id: 'r' });
    expect(await handle.result()).toMatchObject({ status: 'success' });
  });

  it('shares one moment with the others of its workflow task', async () => {
    const endpoint = await endpointFor(() => ({ text: 'y', until: pause(400), rest: 'es' }));
    const handle = await start(questions(12), endpoint);
    expect(await handle.result()).toMatchObject({ status: 'success' });
    // One alone would be in time: a few fill a moment, and the one that does not fit goes on outside of its task.
    expect((await typesOf(handle)).filter((type) => type === 'activityTaskScheduled').length).toBeGreaterThan(1);
    expect(endpoint.requests).toHaveLength(12);
  });

  it('fails at its time limit, which counts from when it was asked, with what it has cost', async () => {
    const endpoint = await endpointFor([{ text: 'y', until: new Promise(() => undefined), rest: '' }]);
    const handle = await start(questions(1, { timeout_ms: 5_000 }), endpoint);
    await expect(handle.result()).rejects.toMatchObject({ cause: { details: [{ status: 'error' }] } });
    const [outcome] = await failureDetails(handle);
    expect(outcome).toMatchObject({ spend: { steps: 1, tokens: expect.toSatisfy((tokens: number) => tokens > 0) } });
    expect(endpoint.requests).toHaveLength(1);
  });

  it('that is refused for a moment is tried again as a usual one is', async () => {
    const endpoint = await endpointFor([{ status: 529, message: 'overloaded', kind: 'overloaded_error' }, ANSWER]);
    const handle = await start(questions(1), endpoint);
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { tokens: 1_200, steps: 1 } });
    expect(endpoint.requests).toHaveLength(2);
    expect(await typesOf(handle)).toContain('activityTaskCompleted');
  });

  it('that is refused for good fails at once', async () => {
    const endpoint = await endpointFor([{ status: 400, message: 'no such thing', kind: 'invalid_request_error' }]);
    const handle = await start(questions(1, { on_error: 'continue' }), endpoint, { taskQueue: patient });
    const outcome = await handle.result().catch(async () => (await failureDetails(handle))[0]);
    expect(outcome).toMatchObject({ error: expect.stringContaining('no such thing') });
    expect(await typesOf(handle)).not.toContain('activityTaskScheduled');
  });
});

async function failureDetails(handle: RunHandle): Promise<unknown[]> {
  const error: unknown = await handle.result().catch((reason: unknown) => reason);
  return (error as { cause: { details: unknown[] } }).cause.details; // a run that failed has its outcome there
}
