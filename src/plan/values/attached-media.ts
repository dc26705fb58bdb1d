import type { AttachedMedia } from './attachment.js';

/** Bytes of all files that are attached at once: what Anthropic's API takes, in which a file is a third larger. */
export const MOST_ATTACHED_BYTES = 22 * 1024 * 1024;

/** Why a file called `__proto__` is not attached: an object has no key of that name. */
export const UNNAMEABLE = 'a file of this name cannot be attached. Give it another one.';

const MOST_IMAGE_BYTES = 5_000_000;
const MOST_PAGES = 600;
/** Tokens of one page as text and as picture, and of one image: the most that the API's documents name. */
const PAGE_TOKENS = 5_000;
const IMAGE_TOKENS = 5_000;
/** Of a PDF whose pages cannot be counted: bytes that a page has at least. */
const PAGE_BYTES = 2_000;

/** What a file is by its first bytes, read as Latin-1; null for what no model is shown as it is. */
export function mediaOf(content: string): AttachedMedia | null {
  const head = content.slice(0, 12);
  if (head.startsWith('%PDF-')) return 'application/pdf';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(head)) return 'image/gif';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null;
}

/** Tokens that a model reads in a file at most, or why it is not shown. `content` is the file, read as Latin-1. */
export function attachedTokens(content: string, media: AttachedMedia): { tokens: number } | { failure: string } {
  if (media !== 'application/pdf')
    return content.length > MOST_IMAGE_BYTES
      ? { failure: `Expected an image of at most ${MOST_IMAGE_BYTES / 1_000_000} MB.` }
      : { tokens: IMAGE_TOKENS };
  const pages = pagesOf(content);
  if (pages !== null && pages > MOST_PAGES)
    return { failure: `Expected a PDF of at most ${MOST_PAGES} pages, got ${pages}.` };
  const most = Math.max(1, Math.min(MOST_PAGES, Math.ceil(content.length / PAGE_BYTES)));
  return { tokens: (pages ?? most) * PAGE_TOKENS };
}

/** Pages of a PDF where its tree of pages stands in it uncompressed; else null, as packed objects may hold another. */
function pagesOf(content: string): number | null {
  if (content.includes('/ObjStm')) return null;
  const counts = [...content.matchAll(/\/Type\s*\/Pages\b[^]{0,200}?\/Count\s+(\d{1,6})/g)];
  return counts.length === 0 ? null : Math.max(...counts.map(([, count]) => Number(count)));
}
