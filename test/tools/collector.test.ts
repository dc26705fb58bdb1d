// @seconds 60
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimFreePort } from '../../src/workers/server/ports.js';
import type { OtlpReceiver } from '../fakes/otlp-receiver.js';
import { startOtlpReceiver } from '../fakes/otlp-receiver.js';
import { FULL } from '../faults/seed.js';
import type { TracedProject } from '../faults/traced-run.js';
import { openTracedProject, TREE, treeOf } from '../faults/traced-run.js';
import { endWithEachTest, waitFor } from '../workers/helpers/setting.js';
import { collectorBinary } from './collector/binary.js';

endWithEachTest();

describe.each(FULL ? ['with a real collector of OpenTelemetry'] : [])('%s', { tags: ['collector'] }, () => {
  let folder: string;
  let collector: ChildProcess;
  let receiver: OtlpReceiver;
  let traced: TracedProject;
  let address: string;
  // The collector is built once, which takes minutes.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perdure-collector-'));
    receiver = await startOtlpReceiver();
    const claim = await claimFreePort(null);
    address = `127.0.0.1:${String(claim.port)}`;
    await writeFile(join(folder, 'config.yaml'), configOf(address, receiver.url));
    const binary = collectorBinary();
    claim.release();
    collector = spawn(binary, ['--config', join(folder, 'config.yaml')], { stdio: 'ignore' });
    await waitFor('the collector', () =>
      fetch(`http://${address}/`)
        .then(() => true)
        .catch(() => false),
    );
    traced = await openTracedProject(`http://${address}`);
  }, 1_000_000);
  afterAll(async () => {
    await traced.close();
    collector.kill('SIGKILL');
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('the trace of a run arrives whole over three kills of its host, with no span twice', async () => {
    expect((await traced.runOverKills()).code).toBe(0);
    await waitFor('the trace', () => receiver.spans.some(({ name }) => name === 'invoke_workflow traced'));
    expect(treeOf(receiver.spans)).toEqual(TREE);
    expect(new Set(receiver.spans.map(({ spanId }) => spanId)).size).toBe(receiver.spans.length);
  });

  it('metrics arrive when the worker ends, of what its last host saw', async () => {
    await traced.project.run('server', 'stop');
    const runs = await waitFor('metrics', () => receiver.points.find(({ metric }) => metric === 'perdure_runs_total'));
    expect(runs).toEqual({ metric: 'perdure_runs_total', value: 1, attributes: { status: 'success' } });
  });
});

/** It takes OTLP over HTTP, and hands on what it understood, written anew. */
function configOf(address: string, next: string): string {
  return `receivers: {otlp: {protocols: {http: {endpoint: "${address}"}}}}
exporters: {otlphttp: {endpoint: "${next}", compression: none}}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    traces: {receivers: [otlp], exporters: [otlphttp]}
    metrics: {receivers: [otlp], exporters: [otlphttp]}
`;
}
