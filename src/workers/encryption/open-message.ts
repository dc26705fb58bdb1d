import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';

type Message = Record<string, unknown>;

/**
 * Decrypts, in place, all payloads in a message of Temporal's API that a client of ours got raw: events of a history,
 * what is pending. Failures get their message and stack back. Gives the message; one that a client without keys got
 * stays as it is. Throws a KeyError for a payload whose key is not here.
 */
export async function openMessage<T extends object>(client: Pick<Client, 'options'>, message: T): Promise<T> {
  const codecs = client.options.loadedDataConverter.payloadCodecs;
  if (codecs.length === 0) return message;
  const found: Found = { payloads: [], failures: [] };
  collect(message, found);
  let plain = found.payloads;
  for (const codec of codecs) plain = await codec.decode(plain);
  found.payloads.forEach((payload, index) => Object.assign(payload, plain[index]));
  found.failures.forEach(restore);
  return message;
}

interface Found {
  payloads: Payload[];
  failures: Message[];
}

function collect(value: object, found: Found): void {
  if (ArrayBuffer.isView(value)) return;
  if (isPayload(value)) {
    found.payloads.push(value);
    return;
  }
  for (const member of Object.values(value) as unknown[])
    if (typeof member === 'object' && member !== null) collect(member, found);
  if ('encodedAttributes' in value && value.encodedAttributes) found.failures.push(value);
}

/** Only payloads have metadata by name; that of an event or a command is a message of its own. */
function isPayload(value: object): value is Payload {
  const metadata: unknown = 'metadata' in value ? value.metadata : null;
  return typeof metadata === 'object' && metadata !== null && 'encoding' in metadata;
}

/** A failure's message and stack, which the SDK has put into a payload of their own. */
function restore(failure: Message): void {
  const { data } = failure['encodedAttributes'] as Payload; // `collect` saw it
  try {
    const { message, stack_trace } = JSON.parse(Buffer.from(data ?? []).toString('utf8')) as Message;
    if (typeof message === 'string') failure['message'] = message;
    if (typeof stack_trace === 'string') failure['stackTrace'] = stack_trace;
  } catch {
    // Another program's: its own words stay.
  }
}
