// @seconds 30
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import type { OtlpReceiver } from '../fakes/otlp-receiver.js';
import { startOtlpReceiver } from '../fakes/otlp-receiver.js';
import type { Project } from '../faults/project.js';
import { kill, openProject } from '../faults/project.js';
import { endWithEachTest, waitFor } from '../workers/helpers/setting.js';
import { claimFreePort } from '../../src/workers/server/ports.js';

endWithEachTest();

const WORKFLOW = `name: told
steps:
  - {id: say, agent: talker, prompt: Say hello.}
  - {id: ok, command: [printf, "%s", fine], timeout: 10s}
  - {id: bad, command: ["false"], timeout: 30s, retry: {attempts: 2}, on_error: continue}
  - {id: pause, wait: 100ms}
`;

let endpoint: ModelEndpoint;
let receiver: OtlpReceiver;
let project: Project;
let port: number;
beforeAll(async () => {
  endpoint = await startModelEndpoint(() => ({ text: 'hello', usage: { input: 30, output: 4 } }));
  receiver = await startOtlpReceiver();
  const claim = await claimFreePort(null);
  ({ port } = claim);
  project = await openProject(
    {
      'definitions/agents/talker.yml': 'name: talker\nprompt: You talk.\n',
      'definitions/workflows/told.yml': WORKFLOW,
      'definitions/workflows/asks.yml': 'name: asks\nsteps:\n  - {id: gate, approval: "Go on?"}\n',
    },
    {
      ANTHROPIC_API_KEY: 'test-key',
      ANTHROPIC_BASE_URL: endpoint.url,
      PERDURE_HEALTH_PORT: String(port),
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_METRIC_EXPORT_INTERVAL: '100',
    },
  );
  claim.release();
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
  await receiver.close();
});

async function ask(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${String(port)}${path}`);
  return { status: response.status, text: await response.text() };
}

/** The number of a metric with these labels; 0 where there is none. */
async function metric(line: string): Promise<number> {
  const { text } = await ask('/metrics');
  const found = text.split('\n').find((one) => one.startsWith(`${line} `));
  return Number(found?.slice(line.length + 1) ?? 0);
}

describe('the health port of a worker', () => {
  it('says what ran: calls, spend, steps, tries and waits, and what the SDK counts', async () => {
    const { stdout } = await project.run('run', 'told', '--id', 'told', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'partial' });
    await waitFor('it', async () => (await metric('perdure_runs_total{status="partial"}')) === 1);
    const [, model = ''] =
      /perdure_model_calls_total\{provider="anthropic",model="([^"]+)"/.exec((await ask('/metrics')).text) ?? [];
    const labels = `provider="anthropic",model="${model}"`;
    expect(await metric(`perdure_model_calls_total{${labels},status="success"}`)).toBe(1);
    expect(await metric(`perdure_tokens_total{${labels},type="input"}`)).toBe(30);
    expect(await metric(`perdure_cost_usd_total{${labels}}`)).toBeGreaterThan(0);
    expect(await metric('perdure_steps_total{kind="command",status="success"}')).toBe(1);
    expect(await metric('perdure_steps_total{kind="command",status="error"}')).toBe(1);
    expect(await metric('perdure_tries_total{kind="command",status="command-failed"}')).toBe(2);
    expect(await metric('perdure_retries_total{kind="command",by="interpreter"}')).toBe(1);
    expect(await metric('perdure_wait_seconds_total{kind="wait"}')).toBeGreaterThanOrEqual(0.1);
    expect((await ask('/metrics')).text).toMatch(/^temporal_/m);
  });

  it('says how open runs stand, and what waits in the queue', async () => {
    const { code } = await project.run('run', 'asks', '--id', 'asks', '--detach');
    expect(code).toBe(0);
    await waitFor('it', async () => (await metric('perdure_runs_open{status="waiting"}')) === 1);
    await waitFor('it', async () => /^perdure_queue_backlog\{type="activity"\} 0$/m.test((await ask('/metrics')).text));
    expect((await project.run('approve', 'asks/gate')).code).toBe(0);
    await waitFor('it', async () => (await metric('perdure_runs_open{status="waiting"}')) === 0);
  });

  it('sends the same numbers to a receiver, where one is named', async () => {
    await waitFor('it', () => receiver.points.some(({ metric: name }) => name === 'perdure_runs_total'));
    const last = receiver.points.filter(({ metric: name }) => name === 'perdure_tokens_total').at(-1);
    expect(last).toMatchObject({ attributes: { provider: 'anthropic' } });
    expect(receiver.requests.some(({ path }) => path === '/v1/metrics')).toBe(true);
  });

  it('is ready while its worker polls, and is not while the server does not answer', async () => {
    await waitFor('it', async () => (await ask('/readyz')).status === 200);
    expect((await ask('/healthz')).status).toBe(200);
    const { server } = await project.pids();
    kill(server ?? 0, 'SIGSTOP');
    try {
      // The store has no more than 2 s either, which a busy machine may let pass.
      await expect
        .poll(async () => {
          const { status, text } = await ask('/readyz');
          return { status, ...(JSON.parse(text) as object) };
        })
        .toMatchObject({
          status: 503,
          ok: false,
          checks: expect.arrayContaining([
            { name: 'temporal', ok: false, detail: 'no answer in 2 s' },
            { name: 'store', ok: true },
          ]) as unknown,
        });
      // A worker that is killed for its server's sake helps nobody.
      expect((await ask('/healthz')).status).toBe(200);
    } finally {
      kill(server ?? 0, 'SIGCONT');
    }
    await waitFor('it', async () => (await ask('/readyz')).status === 200);
  });

  it('answers what it knows, and nothing else', async () => {
    expect((await ask('/')).status).toBe(404);
    const posted = await fetch(`http://127.0.0.1:${String(port)}/healthz`, { method: 'POST' });
    expect(posted.status).toBe(405);
  });
});

describe('a health port that cannot be had', () => {
  it.each([
    ['no port', ['--health-port', 'many'], 2, 'a port from 0 to 65535, got `many`'],
    ['an address that is not here', ['--health-port', '9', '--health-host', '192.0.2.1'], 3, 'cannot be listened at'],
  ])('ends the command with the reason: %s', async (_, options, code, told) => {
    await project.run('server', 'stop');
    const ended = await project.run('up', ...options);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(told);
  });
});
