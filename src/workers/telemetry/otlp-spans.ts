import type { OtlpMessage } from './otlp-messages.js';
import type { Attribute, Span } from './span.js';

const KINDS = { internal: 1, client: 3 } as const;
const ERROR = 2;

/** The request that brings these spans of one trace. */
export function traceRequest(
  trace: string,
  spans: Span[],
  { resource, version }: { resource: Record<string, string>; version: string },
): OtlpMessage {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'perdure', version }, spans: spans.map((span) => spanMessage(trace, span)) }],
      },
    ],
  };
}

function spanMessage(trace: string, { id, parent, name, kind, start, end, attributes, failure }: Span): OtlpMessage {
  return {
    traceId: trace,
    spanId: id,
    ...(parent === null ? {} : { parentSpanId: parent }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(Math.max(start, end)),
    attributes: attributesOf(failure === undefined ? attributes : { ...attributes, 'error.type': failure }),
    ...(failure === undefined ? {} : { status: { message: failure, code: ERROR } }),
  };
}

/** Epoch milliseconds as OTLP writes times. */
export function nanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds)) * 1_000_000n);
}

/** Attributes as OTLP writes them. */
export function attributesOf(attributes: Record<string, Attribute>): OtlpMessage[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: Attribute): OtlpMessage {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
