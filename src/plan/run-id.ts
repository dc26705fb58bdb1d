const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** How many random bytes an id is made of. */
export const RUN_ID_BYTES = 8;

/** A run's id: `<name>-<8 base32>`, the digits from the first of these bytes. */
export function runIdOf(name: string, bytes: Uint8Array): string {
  const digits = Array.from(bytes.subarray(0, RUN_ID_BYTES), (byte) => BASE32[byte % BASE32.length]).join('');
  return `${
    name
      .replace(/[^A-Za-z0-9._-]/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 100) || 'run'
  }-${digits}`;
}
