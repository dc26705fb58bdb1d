import { safeText } from '../text/safe-text.js';
import type { Json } from '../values/json.js';
import type { Hash, Value } from '../values/value.js';
import { isStored } from '../values/value.js';

/** How the details of a run name a stored content; nothing that others wrote begins a line there. */
const NAMED = /^What it shows is (sha256:[0-9a-f]{64}) \((\d+) bytes\).*$/gm;

/**
 * What a gate shows, as Markdown of Temporal's UI: a block of code where it is small. Of a stored one its name, which
 * `withContents` replaces where the store can be read.
 */
export function shownContent(content: Value | null): string {
  if (content === null) return '';
  if (!isStored(content)) return contentBlock(content.value);
  const { ref, bytes } = content;
  return `What it shows is ${ref} (${bytes} bytes): here with the codec of the store, else in \`perdure show\`.\n`;
}

/** Tells whether some text may name a stored content. */
export function namesContent(text: string): boolean {
  return text.includes('What it shows is sha256:');
}

/** Puts the contents themselves into the details of a run; `read` gives null for one that cannot be read. */
export async function withContents(
  details: string,
  read: (ref: Hash, bytes: number) => Promise<Json>,
): Promise<string> {
  const blocks: (string | null)[] = [];
  for (const [, ref, bytes] of details.matchAll(NAMED)) {
    const value = await read(ref as Hash, Number(bytes)); // the pattern has just been checked
    blocks.push(value === null ? null : contentBlock(value).trimEnd());
  }
  return details.replace(NAMED, (line) => blocks.shift() ?? line);
}

/** All of it, as a block of code: neither Markdown nor HTML in it means anything. */
function contentBlock(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const lines = safeText(text).split('\n');
  return `${lines.map((line) => `    ${unlinked(line)}`).join('\n')}\n`;
}

/** The UI makes a link of all that looks like an address: a space without width of ours stands in each. */
export function unlinked(text: string): string {
  return text.replace(/:\/\/|\bwww\.|@/gi, (mark) => `${mark}\u200b`);
}
