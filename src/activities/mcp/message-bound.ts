/** What one message of a server has at most; the SDK's own bound for what comes on stdio. */
const MESSAGE_BYTES = 10 * 1024 * 1024;

/** Why a server is given up that writes for ever. */
export const TOO_LONG = `it wrote a message of more than ${MESSAGE_BYTES / 1024 / 1024} MiB.`;

const LINE_END = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * `fetch` whose answers end with an error once a message in them has become too long: a body, or an event where it is a
 * stream of them, which may go on for as long as a server lives. `onTooLong` is told first.
 */
export function boundedFetch(onTooLong: () => void): (input: string | URL, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (answer.body === null) return answer;
    const ofEvents = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const length = ofEvents ? eventLength() : bodyLength();
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (length(chunk) <= MESSAGE_BYTES) return controller.enqueue(chunk);
        onTooLong();
        controller.error(new Error(TOO_LONG));
      },
    });
    const { status, statusText, headers } = answer;
    return new Response(answer.body.pipeThrough(bound), { status, statusText, headers });
  };
}

function bodyLength(): (chunk: Uint8Array) => number {
  let length = 0;
  return (chunk) => (length += chunk.length);
}

/** How long the event is that a chunk goes on with; an empty line ends one. */
function eventLength(): (chunk: Uint8Array) => number {
  let length = 0;
  let atLineStart = true;
  return (chunk) => {
    for (const byte of chunk) {
      length += 1;
      if (byte === LINE_END && atLineStart) length = 0;
      if (byte !== CARRIAGE_RETURN) atLineStart = byte === LINE_END;
    }
    return length;
  };
}
