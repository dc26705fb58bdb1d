import type { Env } from '../../store/cache-folder.js';
import { UnavailableError } from '../errors.js';
import { ownOf } from '../../plan/values/own.js';

/** What `perdure.yml` says of telemetry. */
export interface TelemetryConfig {
  telemetry?: { otlp?: string | undefined; content?: boolean | undefined } | undefined;
}

/** Where one kind of telemetry goes, and how (OpenTelemetry's own variables). */
export interface OtlpTarget {
  url: URL;
  protocol: 'http/protobuf' | 'http/json';
  headers: Record<string, string>;
  timeoutMs: number;
  gzip: boolean;
  /** File with the certificates that the receiver's is checked by; null for the system's. */
  certificate: string | null;
}

/** What is sent, as the variables say. */
export interface TelemetrySettings {
  /** Null where that kind is not sent. */
  traces: OtlpTarget | null;
  metrics: OtlpTarget | null;
  /** Attributes of whoever sends: `service.name` and what `OTEL_RESOURCE_ATTRIBUTES` names. */
  resource: Record<string, string>;
  /** Whether traces hold what was asked and answered. */
  content: boolean;
  /** How often metrics are sent. */
  intervalMs: number;
}

const VARIABLE = /^OTEL_[A-Z_]+$/;
const LONGEST_WAIT_MS = 2 ** 31 - 1;
const CONTENT = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';

/**
 * The variables by which telemetry is set, with what `perdure.yml` says in their words: those of OpenTelemetry. They
 * may hold keys, and so travel to the host in memory only (I13). Throws an UnavailableError where the config names a
 * variable that is not set.
 */
export function telemetryVariables({ telemetry }: TelemetryConfig, env: Env): Record<string, string> {
  const named = Object.entries(env).flatMap(([name, value]) =>
    VARIABLE.test(name) && value !== undefined && value !== '' ? [[name, value] as const] : [],
  );
  const variable = telemetry?.otlp?.slice('${env.'.length, -'}'.length);
  const address = ownOf(env, variable);
  if (variable !== undefined && (address === undefined || address === ''))
    throw new UnavailableError(
      `Telemetry goes to the address in \`${variable}\`, and that variable is not set.`,
      'Set it, or remove `telemetry.otlp` from perdure.yml.',
    );
  const set = {
    ...Object.fromEntries(named),
    ...(address === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: address }),
  };
  // By itself it sends nothing, and a host takes all of telemetry from the command that sets any of it.
  const content = Object.keys(set).length === 0 ? undefined : telemetry?.content;
  return { ...set, ...(content === undefined ? {} : { [CONTENT]: String(content) }) };
}

/** Tells whether a variable is one of OpenTelemetry's. */
export function isTelemetryVariable(name: string): boolean {
  return VARIABLE.test(name);
}

/** Tells whether runs are traced: there is an address for traces, and nothing says otherwise. */
export function isTraced(variables: Env): boolean {
  return addressOf(variables, 'TRACES') !== null;
}

/** Tells whether metrics are sent, likewise. */
export function isMetered(variables: Env): boolean {
  return addressOf(variables, 'METRICS') !== null;
}

/** What these variables ask for. Throws an UnavailableError where they ask for what cannot be done. */
export function telemetrySettings(variables: Env): TelemetrySettings {
  const { service, ...named } = resourceOf(variables);
  return {
    traces: targetOf(variables, 'TRACES'),
    metrics: targetOf(variables, 'METRICS'),
    resource: { 'service.name': service ?? 'perdure', ...named },
    content: /^(true|1|span_only|span_and_event)$/i.test(variables[CONTENT] ?? ''),
    intervalMs: numberOf(variables['OTEL_METRIC_EXPORT_INTERVAL']) ?? 60_000,
  };
}

type Kind = 'TRACES' | 'METRICS';

function addressOf(variables: Env, kind: Kind): string | null {
  if (variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return null;
  if ((variables[`OTEL_${kind}_EXPORTER`] ?? 'otlp') !== 'otlp') return null;
  const own = variables[`OTEL_EXPORTER_OTLP_${kind}_ENDPOINT`];
  if (own !== undefined && own !== '') return own;
  const base = variables['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return base === undefined || base === '' ? null : `${base.replace(/\/+$/, '')}/v1/${kind.toLowerCase()}`;
}

function targetOf(variables: Env, kind: Kind): OtlpTarget | null {
  const address = addressOf(variables, kind);
  if (address === null) return null;
  const valueOf = (what: string): string | undefined =>
    variables[`OTEL_EXPORTER_OTLP_${kind}_${what}`] ?? variables[`OTEL_EXPORTER_OTLP_${what}`];
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    // An address may be a secret: no message names it (I13).
    throw new UnavailableError('Expected `OTEL_EXPORTER_OTLP_ENDPOINT` to hold an http or https address.');
  const protocol = valueOf('PROTOCOL') ?? 'http/protobuf';
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    throw new UnavailableError(
      `Expected \`OTEL_EXPORTER_OTLP_PROTOCOL\` to be http/protobuf or http/json, got \`${protocol}\`.`,
      'Receivers take both at their HTTP port, by default 4318.',
    );
  return {
    url,
    protocol,
    headers: pairsOf(valueOf('HEADERS')),
    timeoutMs: numberOf(valueOf('TIMEOUT')) ?? 10_000,
    gzip: valueOf('COMPRESSION') === 'gzip',
    certificate: valueOf('CERTIFICATE') ?? null,
  };
}

function resourceOf(variables: Env): Record<string, string> & { service?: string } {
  const { 'service.name': named, ...attributes } = pairsOf(variables['OTEL_RESOURCE_ATTRIBUTES']);
  const service = variables['OTEL_SERVICE_NAME'] ?? named;
  return { ...attributes, ...(service === undefined || service === '' ? {} : { service }) };
}

/** Milliseconds that a timer can wait for: a longer time would be none at all. Null for what is no time. */
function numberOf(written: string | undefined): number | null {
  const value = Number(written);
  return value > 0 ? Math.min(value, LONGEST_WAIT_MS) : null;
}

/** `key=value,key2=value2`, with percent signs as in addresses. What is no pair is left out, as the standard says. */
function pairsOf(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const key = pair.slice(0, Math.max(0, at)).trim();
    return key === '' ? [] : [[key, decoded(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
