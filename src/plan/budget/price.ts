/** US dollars for a million tokens; null is not known. */
export interface Price {
  input: number;
  output: number;
  cache_read: number | null;
  cache_write_5m: number | null;
  cache_write_1h: number | null;
  /** A prompt longer than this (cached parts included) is charged so as a whole. */
  above?: { input_tokens: number; input: number; output: number };
}

/** A token has at least so many bytes, so that a count of tokens by it is rather too high (I8). */
export const BYTES_PER_TOKEN = 3;

const MILLION = 1_000_000;

/** The most that a call can use: tokens in and out, and US dollars; a price of null costs nothing. */
export function mostOf(
  price: Price | null,
  { bytes, max_tokens }: { bytes: number; max_tokens: number },
): { tokens: number; usd: number } {
  const asked = Math.ceil(bytes / BYTES_PER_TOKEN);
  const tokens = asked + max_tokens;
  if (price === null) return { tokens, usd: 0 };
  const { input, output } = price.above !== undefined && asked > price.above.input_tokens ? price.above : price;
  return { tokens, usd: (asked * input + max_tokens * output) / MILLION };
}

/** What files take in a request, in the bytes by which reservations are made. */
export function attachedBytes(files: { tokens: number }[] = []): number {
  return files.reduce((sum, { tokens }) => sum + tokens * BYTES_PER_TOKEN, 0);
}
