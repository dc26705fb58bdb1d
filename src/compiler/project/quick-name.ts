import { extname } from 'node:path';
import { NAME } from '../../plan/names.js';
import { parseFrontMatter } from '../formats/agent/front-matter.js';
import { parseFile } from '../load.js';
import { createSource, stemOf } from '../problems/source.js';
import { readText } from '../text/disk.js';
import { memberOf } from '../text/node.js';

/** A file's name as its text says it, or the file's own: a file is parsed only where a scan does not tell. */
export function quickName(file: string): string {
  const content = readText(file);
  return ('text' in content ? quickNameIn(content.text, file) : null) ?? stemOf(file);
}

/** The name that a definition's text has at its top, however it is written; null where it has none, or it is none. */
export function quickNameIn(text: string, file: string): string | null {
  const isFronted = FRONTED.has(extname(file));
  const front = isFronted ? FRONT_MATTER.exec(text)?.[1] : undefined;
  const head = front ?? text;
  const isPlain = !BEGINS_OTHERWISE.test(head);
  const plain = isPlain ? PLAIN_NAME.exec(head)?.[2] : undefined;
  if (plain !== undefined) return plain;
  const isNameless = (isPlain && !MAY_BE_NAME.test(head)) || (isFronted && front === undefined);
  return isNameless ? null : parsedName(head, file, isFronted);
}

function parsedName(text: string, file: string, isFront: boolean): string | null {
  const source = createSource(file, file, text);
  const ignore = (): void => undefined;
  const node = isFront ? parseFrontMatter({ source, start: 0, end: text.length }, ignore) : parseFile(source, ignore);
  const written = node === null ? undefined : memberOf(node, 'name')?.value;
  return typeof written === 'string' && NAME.test(written) ? written : null;
}

/** Files whose name stands in their front matter; what is below it is no YAML. */
const FRONTED = new Set(['.md', '.agent', '.flow']);
const FRONT_MATTER = /^\s*---[ \t]*\r?\n([^]*?)^---[ \t]*$/m;

const PLAIN_NAME = /^name:[ \t]*(["']?)([A-Za-z][A-Za-z0-9_-]*)\1[ \t]*(?:#.*)?\r?$/m;

/** A document whose first key does not stand plain at the start of its line: none of its others need to. */
const BEGINS_OTHERWISE = /^(?:[ \t]*(?:#.*)?\r?\n|---[ \t]*\r?\n)*(?:---)?[ \t]*(?:[{"'?!&]|(?<=[ \t])[^\s#])/;

/** A line that may say the name as `PLAIN_NAME` does not: in quotes, as `? name`, on the line below. */
const MAY_BE_NAME = /^(?:["'?!&]|name[ \t]*:)/m;
