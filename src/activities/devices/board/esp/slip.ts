const END = 0xc0;
const ESCAPE = 0xdb;
const ESCAPED_END = 0xdc;
const ESCAPED_ESCAPE = 0xdd;

/** A frame of SLIP (RFC 1055), as Espressif's loaders use it: between two 0xC0. */
export function slipFrame(data: Uint8Array): Uint8Array {
  const body = [...data].flatMap((byte) =>
    byte === END ? [ESCAPE, ESCAPED_END] : byte === ESCAPE ? [ESCAPE, ESCAPED_ESCAPE] : [byte],
  );
  return Uint8Array.from([END, ...body, END]);
}

/** Takes bytes as they come, and gives the frames that they complete; what stands between frames is dropped. */
export function createSlipReader(): (bytes: Uint8Array) => Buffer[] {
  let frame: number[] | null = null;
  let isEscaped = false;
  return (bytes) => {
    const frames: Buffer[] = [];
    for (const byte of bytes) {
      if (byte === END) {
        if (frame !== null && frame.length > 0) {
          frames.push(Buffer.from(frame));
          frame = null;
        } else frame = [];
        isEscaped = false;
      } else if (frame !== null) {
        if (isEscaped) frame.push(byte === ESCAPED_END ? END : byte === ESCAPED_ESCAPE ? ESCAPE : byte);
        else if (byte !== ESCAPE) frame.push(byte);
        isEscaped = !isEscaped && byte === ESCAPE;
      }
    }
    return frames;
  };
}
