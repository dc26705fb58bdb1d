import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_SPEND } from '../../../src/plan/budget/spend.js';
import { openStore } from '../../../src/store/local-store.js';
import type { Store } from '../../../src/store/store.js';
import type { TraceOutbox } from '../../../src/workers/telemetry/trace-outbox.js';
import { openTraceOutbox } from '../../../src/workers/telemetry/trace-outbox.js';
import { startOtlpReceiver } from '../../fakes/otlp-receiver.js';
import type { OtlpReceiver } from '../../fakes/otlp-receiver.js';
import { commandStep, plan } from '../../plan/helpers/build-plan.js';
import { endWithEachTest, waitFor } from '../helpers/setting.js';
import { runRecord } from '../../store/helpers/run-record.js';

endWithEachTest();

const PLAN = plan([commandStep(0, ['true'], { id: 'only' })], { name: 'small' });
const TRACE = '0af7651916cd43dd8448eb211c80319c';

let folder: string;
let store: Store;
let receiver: OtlpReceiver;
let lines: string[];
const opened: TraceOutbox[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perdure-traces-'));
  store = await openStore(folder);
  await store.putPlan(PLAN);
  receiver = await startOtlpReceiver();
  lines = [];
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((outbox) => outbox.close()));
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

function outbox(env: Record<string, string> = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }): TraceOutbox {
  const one = openTraceOutbox(store, { variables: () => env, version: '1.2.3', log: (line) => lines.push(line) });
  opened.push(one);
  return one;
}

async function close(run: string, announced: () => void, ended = new Date()): Promise<void> {
  const pages = [
    await store.putAlways([
      {
        status: 'success',
        output: null,
        error: null,
        failure: null,
        duration_ms: 5,
        started_at: ended.getTime() - 10,
        agent: 'true',
        step_index: 0,
        id: 'only',
        attempts: 1,
        spend: { ...NO_SPEND },
        reused: false,
        note: null,
        run: null,
        pages: [],
      },
    ]),
  ];
  const record = runRecord(run, {
    pages,
    plan: PLAN.hash,
    plan_name: PLAN.name,
    journal: `first-of-${run}`,
    trace: { id: TRACE },
    started_at: new Date(ended.getTime() - 20).toISOString(),
    ended_at: ended.toISOString(),
  });
  await store.writeRun(record);
  announced();
}

const names = (): string[] => receiver.spans.map(({ name }) => name).sort();
const BOTH = ['command only', 'invoke_workflow small'];

describe('the trace of a run that ends', () => {
  it.each([
    ['protobuf', {}],
    ['protobuf, compressed', { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }],
    ['JSON', { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }],
  ])('goes out as %s, with the headers that were asked for', async (_, env) => {
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'x-team=one%20two,x-other=3', OTEL_SERVICE_NAME: 'builds' };
    const sends = outbox({ OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`, ...headers, ...env });
    await close('one', await sends.announce('one'));
    await waitFor('the trace', () => receiver.spans.length === 2);
    expect(names()).toEqual(BOTH);
    expect(receiver.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'x-team': 'one two', 'x-other': '3' },
    });
    expect(receiver.spans[0]?.resource).toEqual({ 'service.name': 'builds' });
    expect(receiver.spans.find(({ name }) => name === 'command only')).toMatchObject({
      traceId: TRACE,
      parentSpanId: receiver.spans.find(({ name }) => name === 'invoke_workflow small')?.spanId,
    });
  });

  it('goes out again when the receiver refused it', async () => {
    receiver.next = [503, 429];
    const sends = outbox();
    await close('one', await sends.announce('one'));
    await waitFor('the trace', () => receiver.spans.length > 0);
    expect(names()).toEqual(BOTH);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('they are sent later');
  });

  it('does not go out again when nobody knows whether it was taken', async () => {
    receiver.next = ['cut'];
    const sends = outbox();
    await close('one', await sends.announce('one'));
    await waitFor('the word about it', () => lines.length > 0);
    expect(lines[0]).toContain('nobody knows whether a part of the trace of one arrived');
    await close('two', await sends.announce('two'));
    await waitFor('the next one', () => receiver.spans.length === 2);
    expect(receiver.requests).toHaveLength(2);
  });

  it('does not go out twice when two send it, nor when its worker was killed after it had', async () => {
    const [one, other] = [outbox(), outbox()];
    const announced = [await one.announce('run'), await other.announce('run')];
    await close('run', () => announced.forEach((send) => send()));
    await waitFor('the trace', () => receiver.spans.length >= 2);
    const third = outbox();
    (await third.announce('run'))();
    await close('last', await third.announce('last'));
    await waitFor('what came after', () => receiver.spans.length >= 4);
    expect(names()).toEqual([...BOTH, ...BOTH].sort());
  });

  it('goes out at the next start when its worker was killed before', async () => {
    await close('one', () => undefined);
    await outbox({}).announce('one');
    outbox();
    await waitFor('the trace', () => receiver.spans.length === 2);
  });

  it('waits while nobody says where it goes, and goes out when the receiver was away', async () => {
    const env: Record<string, string> = {};
    const sends = outbox(env);
    await close('one', await sends.announce('one'));
    env['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:9';
    await close('two', await sends.announce('two'));
    await waitFor('the word about it', () => lines.length > 0);
    env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
    await waitFor('both', () => receiver.spans.length === 4);
  });

  it('is given up after a day', async () => {
    const sends = outbox();
    await close('old', await sends.announce('old'), new Date(Date.now() - 25 * 3_600_000));
    await waitFor('the word about it', () => lines.length > 0);
    expect(lines).toEqual(['telemetry: the trace of old is given up: nobody took it for a day']);
    expect(receiver.requests).toEqual([]);
  });
});
