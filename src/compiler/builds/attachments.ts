import { dirname, isAbsolute, normalize, resolve } from 'node:path';
import type { AttachedMedia, Attachment } from '../../plan/values/attachment.js';
import type { Template } from '../../plan/values/expression.js';
import { ofParts } from '../expressions/template.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import type { ProjectDefinition } from '../load.js';
import type { Report } from '../problems/problem.js';
import { kindOf, readBytes, readText } from '../text/disk.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';

const MIB = 1024 * 1024;
/** What Anthropic's API takes: a request of 32 MB, in which a file is a third larger, an image of 5 MB, 600 pages. */
const MOST_BYTES = 22 * MIB;
const MOST_IMAGE_BYTES = 5_000_000;
const MOST_PAGES = 600;
/** Tokens of one page as text and as picture, and of one image: the most that the API's documents name. */
const PAGE_TOKENS = 5_000;
const IMAGE_TOKENS = 5_000;
/** Of a PDF whose pages cannot be counted: bytes that a page has at least. */
const PAGE_BYTES = 2_000;

/** What the entry is shown of its attachments: texts under their paths, and files as they are. */
export interface Attached {
  texts: Record<string, Template>;
  files: Attachment[];
}

/** Reads the attachments of a project's entry: their content is part of the Plan (I2). */
export function attachmentsOf({ node, file }: ProjectDefinition, texts: Texts, report: Report): Attached {
  const entry = memberOf(node, 'entry');
  const args = entry && memberOf(entry, 'args');
  const attached: Attached = { texts: {}, files: [] };
  let left = MOST_BYTES;
  for (const item of (args && memberOf(args, 'attachments'))?.items ?? []) {
    const name = String(item.value);
    if (leavesFolder(name)) {
      refuse(report, item, `The attachment \`${name}\` lies outside of the manifest's folder.`);
      continue;
    }
    const path = resolve(dirname(file), name);
    const read = kindOf(path) === 'missing' ? { failure: `Attachment not found: ${name}` } : readOne(path, left);
    if ('failure' in read)
      refuse(report, item, read.failure.includes(name) ? read.failure : `\`${name}\`: ${read.failure}`);
    else if ('text' in read) attached.texts[name] = ofParts([read.text], texts);
    else {
      left -= read.bytes.length;
      const { media, bytes, tokens } = read;
      attached.files.push({ name, media, data: keepText(bytes.toString('base64'), texts), tokens });
    }
  }
  return attached;
}

function refuse(report: Report, at: Node, message: string): void {
  report({
    code: 'unreadable-file',
    at,
    message,
    suggestion: 'put a text, a PDF or an image beside the manifest, or take it out of `attachments`',
  });
}

function leavesFolder(name: string): boolean {
  const plain = normalize(name);
  return isAbsolute(plain) || plain === '..' || plain.startsWith('../');
}

type Read = { text: string } | { media: AttachedMedia; bytes: Buffer; tokens: number } | { failure: string };

function readOne(path: string, most: number): Read {
  const read = readBytes(path, most);
  if ('failure' in read) return read;
  const { bytes } = read;
  const media = mediaOf(bytes);
  if (media === null) return readText(path);
  if (media !== 'application/pdf')
    return bytes.length > MOST_IMAGE_BYTES
      ? { failure: `Expected an image of at most ${MOST_IMAGE_BYTES / 1_000_000} MB.` }
      : { media, bytes, tokens: IMAGE_TOKENS };
  const pages = pagesOf(bytes);
  if (pages !== null && pages > MOST_PAGES)
    return { failure: `Expected a PDF of at most ${MOST_PAGES} pages, got ${pages}.` };
  const most_pages = Math.min(MOST_PAGES, Math.ceil(bytes.length / PAGE_BYTES));
  return { media, bytes, tokens: (pages ?? Math.max(1, most_pages)) * PAGE_TOKENS };
}

/** What a file is, by its first bytes; null for what no model is shown as it is. */
export function mediaOf(bytes: Buffer): AttachedMedia | null {
  const head = bytes.subarray(0, 12).toString('latin1');
  if (head.startsWith('%PDF-')) return 'application/pdf';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(head)) return 'image/gif';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null;
}

/** Pages of a PDF where its tree of pages stands in it uncompressed; else null. */
function pagesOf(bytes: Buffer): number | null {
  const counts = [...bytes.toString('latin1').matchAll(/\/Type\s*\/Pages\b[^]{0,200}?\/Count\s+(\d{1,6})/g)];
  return counts.length === 0 ? null : Math.max(...counts.map(([, count]) => Number(count)));
}
