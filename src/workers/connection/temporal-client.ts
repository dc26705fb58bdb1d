import type { ConnectionLike } from '@temporalio/client';
import { Client } from '@temporalio/client';
import type { LoadedDataConverter, Payload } from '@temporalio/common';
import { DefaultPayloadConverter, defaultFailureConverter } from '@temporalio/common';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { dataConverter } from '../encryption/data-converter.js';

/** A namespace of a server, and the keys by which is encrypted what goes there; null for none. */
export interface ClientPlace {
  connection: ConnectionLike;
  namespace: string;
  keys: KeyRing | null;
}

/**
 * A client: every one of ours is made here, so that none writes in plain where there are keys. What another program
 * wrote and the SDK cannot read is undefined: one memo of anybody's would else end each list that it is in.
 */
export function createClient({ connection, namespace, keys }: ClientPlace): Client {
  const converter: LoadedDataConverter = {
    payloadConverter: new PatientConverter(),
    failureConverter: defaultFailureConverter,
    payloadCodecs: dataConverter(keys).dataConverter?.payloadCodecs ?? [],
  };
  return new Client({ connection, namespace, dataConverter: converter });
}

class PatientConverter extends DefaultPayloadConverter {
  override fromPayload<T>(payload: Payload): T {
    try {
      return super.fromPayload<T>(payload);
    } catch {
      return undefined as T; // whoever reads it looks at what it is
    }
  }
}
