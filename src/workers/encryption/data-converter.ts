import type { DataConverter } from '@temporalio/common';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { createPayloadCodec } from './payload-codec.js';

/**
 * How clients and workers of ours write and read: the one place that says so. Without keys it is as the SDK does. A
 * worker with codecs also encodes messages of failures (`workflow-thread/interpreter-worker.ts`).
 */
export function dataConverter(ring: KeyRing | null): { dataConverter?: DataConverter } {
  return ring === null ? {} : { dataConverter: { payloadCodecs: [createPayloadCodec(ring)] } };
}
