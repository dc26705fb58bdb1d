/**
 * Messages of OTLP 1.x as its JSON writes them: ids in hexadecimal digits, 64-bit numbers as texts. `toProtobuf` writes
 * the same in binary.
 */
export type OtlpValue = string | number | boolean | OtlpMessage | OtlpValue[];
export interface OtlpMessage {
  [field: string]: OtlpValue | undefined;
}

/** How a field is written: its number, and its type or the fields of its message. */
type Field = [number: number, type: 'text' | 'hex' | 'enum' | 'bool' | 'int64' | 'fixed64' | 'double' | Shape];
interface Shape {
  [field: string]: Field;
}

const VALUE: Shape = {
  stringValue: [1, 'text'],
  boolValue: [2, 'bool'],
  intValue: [3, 'int64'],
  doubleValue: [4, 'double'],
  arrayValue: [5, { values: [1, { stringValue: [1, 'text'] }] }],
};
const ATTRIBUTES: Shape = { key: [1, 'text'], value: [2, VALUE] };
const RESOURCE: Shape = { attributes: [1, ATTRIBUTES] };
const SCOPE: Shape = { name: [1, 'text'], version: [2, 'text'] };
const SPAN: Shape = {
  traceId: [1, 'hex'],
  spanId: [2, 'hex'],
  parentSpanId: [4, 'hex'],
  name: [5, 'text'],
  kind: [6, 'enum'],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, ATTRIBUTES],
  status: [15, { message: [2, 'text'], code: [3, 'enum'] }],
};
const POINT: Shape = {
  startTimeUnixNano: [2, 'fixed64'],
  timeUnixNano: [3, 'fixed64'],
  asDouble: [4, 'double'],
  attributes: [7, ATTRIBUTES],
};
const METRIC: Shape = {
  name: [1, 'text'],
  description: [2, 'text'],
  unit: [3, 'text'],
  gauge: [5, { dataPoints: [1, POINT] }],
  sum: [7, { dataPoints: [1, POINT], aggregationTemporality: [2, 'enum'], isMonotonic: [3, 'bool'] }],
};

/** The two requests that are sent. */
export const REQUESTS = {
  traces: { resourceSpans: [1, { resource: [1, RESOURCE], scopeSpans: [2, { scope: [1, SCOPE], spans: [2, SPAN] }] }] },
  metrics: {
    resourceMetrics: [1, { resource: [1, RESOURCE], scopeMetrics: [2, { scope: [1, SCOPE], metrics: [2, METRIC] }] }],
  },
} satisfies Record<string, Shape>;

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;

/** The binary form of a message. Throws where it has a field that its shape has not. */
export function toProtobuf(message: OtlpMessage, shape: Shape): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(message)) {
    if (value === undefined) continue;
    const field = shape[name];
    if (field === undefined) throw new Error(`OTLP has no field \`${name}\` here`);
    for (const one of Array.isArray(value) ? value : [value]) parts.push(encodeField(field, one));
  }
  return Buffer.concat(parts);
}

function encodeField([number, type]: Field, value: OtlpValue): Buffer {
  const tag = (wire: number): Buffer => varint(BigInt((number << 3) | wire));
  const bytes = (content: Buffer): Buffer => Buffer.concat([tag(LENGTH), varint(BigInt(content.length)), content]);
  if (typeof type === 'object') return bytes(toProtobuf(value as OtlpMessage, type)); // the shape says that it is one
  switch (type) {
    case 'text':
      return bytes(Buffer.from(String(value), 'utf8'));
    case 'hex':
      return bytes(Buffer.from(String(value), 'hex'));
    case 'enum':
    case 'int64':
      return Buffer.concat([tag(VARINT), varint(BigInt.asUintN(64, BigInt(String(value))))]);
    case 'bool':
      return Buffer.concat([tag(VARINT), varint(value === true ? 1n : 0n)]);
    case 'fixed64': {
      const content = Buffer.alloc(8);
      content.writeBigUInt64LE(BigInt(String(value)));
      return Buffer.concat([tag(FIXED64), content]);
    }
    case 'double': {
      const content = Buffer.alloc(8);
      content.writeDoubleLE(Number(value));
      return Buffer.concat([tag(FIXED64), content]);
    }
  }
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}
