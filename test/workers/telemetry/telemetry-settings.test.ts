import { describe, expect, it } from 'vitest';
import { unusableSettings } from '../../../src/workers/telemetry/unusable-settings.js';
import { isTraced, telemetrySettings, telemetryVariables } from '../../../src/workers/telemetry/telemetry-settings.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('where telemetry goes', () => {
  it('is nowhere unless somebody says so', () => {
    expect(isTraced({})).toBe(false);
    expect(telemetrySettings({})).toMatchObject({ traces: null, metrics: null, content: false });
  });

  it.each([
    ['an address for all', ENDPOINT, 'http://collector:4318/v1/traces', 'http://collector:4318/v1/metrics'],
    [
      'one for traces',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t.example/in' },
      'https://t.example/in',
      undefined,
    ],
    ['traces left out', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, undefined, 'http://collector:4318/v1/metrics'],
    ['all of it switched off', { ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }, undefined, undefined],
  ])('follows %s', (_, env, traces, metrics) => {
    const settings = telemetrySettings(env);
    expect([settings.traces?.url.href, settings.metrics?.url.href]).toEqual([traces, metrics]);
  });

  it.each([
    ['gRPC', { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'http/protobuf or http/json, got `grpc`'],
    ['what is no address', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:secret' }, 'an http or https address'],
  ])('is refused for %s, and the address is not told', (_, env, told) => {
    expect(() => telemetrySettings(env)).toThrow(told);
    expect(() => telemetrySettings(env)).not.toThrow(/secret/);
  });

  it('is what perdure.yml names, before the usual variable', () => {
    const env = { ...ENDPOINT, TRACES_AT: 'http://ours:4318', OTHER: 'x' };
    const config = { telemetry: { otlp: '${env.TRACES_AT}', content: true } };
    const variables = telemetryVariables(config, env);
    expect(telemetrySettings(variables)).toMatchObject({ content: true });
    expect(telemetrySettings(variables).traces?.url.href).toBe('http://ours:4318/v1/traces');
    expect(variables).not.toHaveProperty('OTHER');
    expect(() => telemetryVariables(config, {})).toThrow('`TRACES_AT`, and that variable is not set');
  });
});

it.each([
  ['5000', 5000, 5000],
  ['-1', 10_000, 60_000],
  ['0', 10_000, 60_000],
  ['soon', 10_000, 60_000],
  // A timer that is to wait longer than it can does not wait at all.
  ['99999999999999', 2 ** 31 - 1, 2 ** 31 - 1],
  ['Infinity', 2 ** 31 - 1, 2 ** 31 - 1],
])('waits as long as a variable says, where that is a time: %s', (written, timeoutMs, intervalMs) => {
  const settings = telemetrySettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
    OTEL_EXPORTER_OTLP_TIMEOUT: written,
    OTEL_METRIC_EXPORT_INTERVAL: written,
  });
  expect(settings).toMatchObject({ traces: { timeoutMs }, metrics: { timeoutMs }, intervalMs });
});

describe('a setting that cannot be used', () => {
  const said = (env: Record<string, string>): string =>
    unusableSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318', ...env }).join('\n');

  it.each([
    [{ OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem' }, '`OTEL_EXPORTER_OTLP_CERTIFICATE` names a file'],
    [{ OTEL_EXPORTER_OTLP_CERTIFICATE: 'package.json' }, 'names a file without a certificate'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'authorization: Bearer top-secret' }, 'a part that is no `name=value`'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a key=top-secret' }, 'a part that is no `name=value`'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'key=top-secret%0A' }, 'what can be no header of HTTP'],
    [{ OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'a(b)=top-secret' }, '`OTEL_EXPORTER_OTLP_METRICS_HEADERS` has'],
    [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' }, 'is neither `gzip` nor `none`'],
    [{ OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: 'soon' }, '`OTEL_EXPORTER_OTLP_TRACES_TIMEOUT` is no time'],
  ])('is told of in one sentence that names no value: %j', (env, told) => {
    expect(said(env)).toContain(told);
    expect(said(env).split('\n')).toHaveLength(1);
    expect(said(env)).not.toContain('top-secret');
  });

  it.each([
    [{}],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, b = c,' }],
    [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip', OTEL_EXPORTER_OTLP_TIMEOUT: '500' }],
    [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd', OTEL_SDK_DISABLED: 'true' }],
    [{ OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'zstd', OTEL_TRACES_EXPORTER: 'none' }],
  ])('is none of these: %j', (env: Record<string, string>) => {
    expect(said(env)).toBe('');
  });
});
