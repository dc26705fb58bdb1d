import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';

/** A span as it arrived. Attributes are as plain as they can be. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  /** Epoch milliseconds. */
  start: number;
  end: number;
  attributes: Record<string, unknown>;
  error: string | null;
  resource: Record<string, unknown>;
}

/** A number of a metric as it arrived. */
export interface ReceivedPoint {
  metric: string;
  value: number;
  attributes: Record<string, unknown>;
}

export interface OtlpReceiver {
  /** `http://127.0.0.1:<port>`, for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string;
  spans: ReceivedSpan[];
  points: ReceivedPoint[];
  requests: { path: string; type: string; headers: IncomingMessage['headers'] }[];
  /** How the next requests are answered, in order; then all are taken. `cut` hangs up when it has all of it. */
  next: (number | 'cut' | 'hang')[];
  close(): Promise<void>;
}

/** What OTLP 1.x writes, as far as it is looked at here: names and numbers of its fields. */
const PROTO = `
syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3;
  double double_value = 4; ArrayValue array_value = 5; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; }
message Scope { string name = 1; string version = 2; }
message Status { string message = 2; int32 code = 3; }
message Span { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5;
  int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
  Status status = 15; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Traces { repeated ResourceSpans resource_spans = 1; }
message Point { fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  oneof value { double as_double = 4; sfixed64 as_int = 6; } repeated KeyValue attributes = 7; }
message Gauge { repeated Point data_points = 1; }
message Sum { repeated Point data_points = 1; int32 aggregation_temporality = 2; bool is_monotonic = 3; }
message Metric { string name = 1; string description = 2; string unit = 3; Gauge gauge = 5; Sum sum = 7; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
message Metrics { repeated ResourceMetrics resource_metrics = 1; }
`;
const { root } = protobuf.parse(PROTO);

interface AnyValue {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string;
  doubleValue?: number;
  arrayValue?: { values: AnyValue[] };
}
type KeyValues = { key: string; value: AnyValue }[];
type Named = Record<string, unknown>;
interface SpanMessage {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: KeyValues;
  status?: { code?: number; message?: string };
}
interface PointMessage {
  asDouble?: number;
  attributes?: KeyValues;
}

/** A receiver of OTLP over HTTP, that decodes what comes by the protocol's own definition. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: Pick<OtlpReceiver, 'spans' | 'points' | 'requests' | 'next'> = {
    spans: [],
    points: [],
    requests: [],
    next: [],
  };
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { url: path = '', headers } = incoming;
      const type = headers['content-type'] ?? '';
      received.requests.push({ path, type, headers });
      const answer = received.next.shift() ?? 200;
      if (answer === 'hang') return;
      if (answer === 'cut') return void incoming.socket.destroy();
      if (answer === 200) take(received, { path, type }, bodyOf(headers, Buffer.concat(chunks)));
      response.writeHead(answer, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(received, {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, // it listens at a port
    close: () => closed(server),
  });
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

function bodyOf(headers: IncomingMessage['headers'], bytes: Buffer): Buffer {
  return headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
}

function take(
  { spans, points }: Pick<OtlpReceiver, 'spans' | 'points'>,
  { path, type }: { path: string; type: string },
  body: Buffer,
): void {
  const message = type === 'application/json' ? (JSON.parse(body.toString()) as Named) : decoded(path, body);
  if (path === '/v1/traces') spans.push(...spansIn(message));
  else if (path === '/v1/metrics') points.push(...pointsIn(message));
  else throw new Error(`Nothing is received at ${path}`);
}

/** The binary form as its JSON would be: 64-bit numbers as texts, ids in hexadecimal digits. */
function decoded(path: string, body: Buffer): Named {
  const type = root.lookupType(path === '/v1/traces' ? 'Traces' : 'Metrics');
  return type.toObject(type.decode(body), { longs: String, bytes: Array });
}

function hex(id: string | number[] | undefined): string {
  return Array.isArray(id) ? Buffer.from(id).toString('hex') : (id ?? '');
}

/** The list at a field; as far as the messages are looked at here, their shape is that of the protocol. */
function listIn<T = Named>(message: Named, field: string): T[] {
  return (message[field] ?? []) as T[];
}

function spansIn(message: Named): ReceivedSpan[] {
  return listIn(message, 'resourceSpans').flatMap((about) =>
    listIn(about, 'scopeSpans').flatMap((scope) =>
      listIn<SpanMessage>(scope, 'spans').map((span) => ({
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId),
        name: span.name,
        kind: span.kind,
        start: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
        end: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
        attributes: plain(span.attributes),
        error: span.status?.code === 2 ? (span.status.message ?? '') : null,
        resource: plain((about['resource'] as { attributes?: KeyValues }).attributes),
      })),
    ),
  );
}

function pointsIn(message: Named): ReceivedPoint[] {
  return listIn(message, 'resourceMetrics').flatMap((about) =>
    listIn(about, 'scopeMetrics').flatMap((scope) =>
      listIn(scope, 'metrics').flatMap((metric) => {
        const { sum, gauge } = metric as { sum?: Named; gauge?: Named };
        return listIn<PointMessage>(sum ?? gauge ?? {}, 'dataPoints').map(({ asDouble = 0, attributes }) => ({
          metric: String(metric['name']),
          value: asDouble,
          attributes: plain(attributes),
        }));
      }),
    ),
  );
}

function plain(attributes: KeyValues = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue(value: AnyValue): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(plainValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue;
}
