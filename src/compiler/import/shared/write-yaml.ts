import type { Node } from 'yaml';
import { Document, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { Json, JsonObject } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import { formatYaml } from '../../fmt/format-yaml.js';
import type { Report } from '../../problems/problem.js';
import { createSource } from '../../problems/source.js';
import { drawTexts } from '../../text/yaml-text.js';

/** What stands above a map or a list item, by the map itself. */
export type Comments = ReadonlyMap<object, readonly string[]>;

/** Lists of short words stand on one line. */
const WIDEST_LIST = 72;
/** Comments are wrapped at so many columns. */
const COMMENT_COLUMNS = 108;

/**
 * A definition as a YAML file in canonical form, with comments: `head` at its top, and those of `comments` above the
 * maps that they belong to. Throws where the canonical form cannot be made, which would be a defect of an importer.
 */
export function writeYaml(value: JsonObject, head: readonly string[], comments: Comments = new Map()): string {
  const document = new Document(undefined, { schema: 'core', customTags: drawTexts });
  document.contents = nodeOf(value, comments); // any node may be a document's contents
  document.commentBefore = commentOf(head);
  const draft = document.toString({ lineWidth: 0, blockQuote: 'literal', flowCollectionPadding: false });
  const faults: string[] = [];
  const report: Report = ({ message, severity }) => severity !== 'warning' && faults.push(message);
  const written = formatYaml(createSource('/import.yml', 'import.yml', draft), report);
  if (written === null) throw new Error(`Expected a definition in canonical form: ${faults.join(' ')}`);
  return written;
}

function nodeOf(value: Json, comments: Comments): Node {
  const node = plainNode(value, comments);
  const said = typeof value === 'object' && value !== null ? comments.get(value) : undefined;
  if (said !== undefined) node.commentBefore = commentOf(said);
  return node;
}

function plainNode(value: Json, comments: Comments): Node {
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.items = value.map((item) => nodeOf(item, comments));
    list.flow = value.length === 0 || isShort(value);
    return list;
  }
  if (isObject(value)) {
    const map = new YAMLMap();
    map.items = Object.entries(value).map(([key, member]) => new Pair(new Scalar(key), nodeOf(member, comments)));
    map.flow = Object.keys(value).length === 0;
    return map;
  }
  const scalar = new Scalar(value);
  // A block of one line, or one whose lines end in blanks, is hard to read and easily broken by editors.
  if (typeof value === 'string' && value.includes('\n'))
    scalar.type = canBeBlock(value) ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE';
  else if (typeof value === 'string' && value.includes('${')) scalar.type = 'QUOTE_DOUBLE';
  return scalar;
}

/** Control characters have no place in a block. */
function canBeBlock(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  return !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]/.test(text);
}

function isShort(list: Json[]): boolean {
  return (
    list.every((item) => typeof item !== 'object' && !String(item).includes('\n')) &&
    JSON.stringify(list).length <= WIDEST_LIST
  );
}

/** Sentences as lines of a comment, each with a blank before it. */
function commentOf(sentences: readonly string[]): string {
  return sentences
    .flatMap(wrap)
    .map((line) => (line === '' ? '' : ` ${line}`))
    .join('\n');
}

function wrap(sentence: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of sentence.replace(/\s+/g, ' ').trim().split(' ')) {
    if (line !== '' && line.length + word.length + 1 > COMMENT_COLUMNS) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
