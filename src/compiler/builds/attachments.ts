import { dirname, isAbsolute, normalize, resolve } from 'node:path';
import type { AttachedMedia, Attachment } from '../../plan/values/attachment.js';
import { MOST_ATTACHED_BYTES, UNNAMEABLE, attachedTokens, mediaOf } from '../../plan/values/attached-media.js';
import type { Template } from '../../plan/values/expression.js';
import { ofParts } from '../expressions/template.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import type { ProjectDefinition } from '../load.js';
import type { Report } from '../problems/problem.js';
import { kindOf, readBytes, readText } from '../text/disk.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';

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
  let left = MOST_ATTACHED_BYTES;
  for (const item of (args && memberOf(args, 'attachments'))?.items ?? []) {
    const name = String(item.value);
    if (leavesFolder(name)) {
      refuse(report, item, `The attachment \`${name}\` lies outside of the manifest's folder.`);
      continue;
    }
    if (name === '__proto__') {
      refuse(report, item, `\`${name}\`: ${UNNAMEABLE}`);
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
  const content = bytes.toString('latin1');
  const media = mediaOf(content);
  if (media === null) return readText(path);
  const reading = attachedTokens(content, media);
  return 'failure' in reading ? reading : { media, bytes, ...reading };
}
