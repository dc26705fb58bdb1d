import type { Json } from '../../../plan/values/json.js';
import type { Finding, Report } from '../../problems/problem.js';
import type { Source } from '../../problems/source.js';
import type { Member, Node } from '../../text/node.js';
import type { YamlText } from '../../text/yaml.js';
import { FORBIDDEN_KEYS, parseYaml } from '../../text/yaml.js';
import { KNOWN_FIELDS } from './known-fields.js';
import { looseText } from './loose-text.js';

/** A line of the front matter, without its end. */
export interface HeadLine {
  text: string;
  /** Offset in the source. */
  start: number;
}

/** A key at a line's start, with all lines down to the next one. */
interface Block {
  key: string;
  lines: HeadLine[];
  /** Where its value begins in the first line. */
  from: number;
  /** Tags of its text that are still to be closed, `<example>` say. */
  open: string[];
}

const WARNING =
  'The front matter is no YAML; each key is read by itself, and what is no YAML there is taken as the text that it is.';

/**
 * The front matter of a Markdown file as one map. What YAML reads is read as YAML. People write descriptions with
 * colons, examples and quotes, which the tools of their agents take as text: then each key is read by itself, as YAML
 * where it is that, with a warning. Null where neither says what is meant, which is reported.
 */
export function parseFrontMatter(yaml: YamlText, report: Report): Node | null {
  const findings: Finding[] = [];
  const head = parseYaml(yaml, (finding) => findings.push(finding));
  if (head?.members != null) {
    findings.forEach(report);
    return head;
  }
  const blocks = blocksOf(linesOf(yaml), isKey);
  const members = blocks === null ? null : membersOf(blocks, yaml.source);
  const [first] = findings;
  if (members === null || members.size === 0) {
    findings.forEach(report);
    return head;
  }
  report({
    code: 'invalid-yaml',
    severity: 'warning',
    at: first?.at ?? { source: yaml.source, path: '', start: yaml.start, end: yaml.start + 1 },
    message: WARNING,
    suggestion: 'put texts with `: ` in quotes',
  });
  const value: Json = Object.fromEntries([...members].map(([key, { node }]) => [key, node.value]));
  return { source: yaml.source, path: '', start: yaml.start, end: yaml.end, value, members, items: null, style: null };
}

/** Words before a colon in dialogues of examples, which are no keys. */
const SPEAKERS = /^(?:user|assistant|human|context|commentary|examples?|note|output|input)$/;

/** The keys with their lines; null where a line belongs to none, or a key is there twice. */
function blocksOf(lines: HeadLine[], isKeyOf: typeof isKey): Block[] | null {
  const blocks: Block[] = [];
  for (const line of lines) {
    const current = blocks.at(-1);
    const open = current !== undefined && current.open.length > 0;
    const [head = '', key = ''] = /^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]*)/.exec(line.text) ?? [];
    if (isKeyOf(key, head, line.text, open)) {
      if (blocks.some((block) => block.key === key)) {
        if (!open) return null;
      } else if (FORBIDDEN_KEYS.has(key)) return null;
      else {
        const block = { key, lines: [line], from: head.length, open: [] };
        trackTags(block, line.text.slice(head.length));
        blocks.push(block);
        continue;
      }
    }
    const skipped = line.text.trim() === '' || (line.text.startsWith('#') && !open);
    if (current !== undefined) {
      current.lines.push(skipped ? { ...line, text: '' } : line);
      trackTags(current, line.text);
    } else if (!skipped) return null;
  }
  return blocks;
}

function linesOf({ source, start, end }: YamlText): HeadLine[] {
  let at = start;
  return source.text
    .slice(start, end)
    .split('\n')
    .map((text) => {
      const line = { text: text.replace(/[ \t\r]+$/, ''), start: at };
      at += text.length + 1;
      return line;
    });
}

/** A field that agents have is a key anywhere; another word only outside of examples, and without a capital. */
function isKey(key: string, head: string, line: string, open: boolean): boolean {
  if (key === '') return false;
  if (KNOWN_FIELDS.has(key)) return true;
  const spaced = head.length === line.length || /[ \t]$/.test(head);
  return spaced && !open && /^[a-z_]/.test(key) && !SPEAKERS.test(key);
}

function trackTags({ open }: Block, text: string): void {
  for (const [, closing, name = ''] of text.matchAll(/<(\/?)([A-Za-z][\w-]*)>/g))
    if (closing === '') open.push(name);
    else if (open.includes(name)) open.splice(open.lastIndexOf(name));
}

function membersOf(blocks: Block[], source: Source): Map<string, Member> | null {
  const members = new Map<string, Member>();
  for (const block of blocks) {
    const member = memberOf(block, source);
    if (member === null) return null;
    members.set(block.key, member);
  }
  return members;
}

function memberOf({ key, lines, from }: Block, source: Source): Member | null {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) return null;
  const end = last.start + last.text.length;
  const own = first.start + key.length;
  const member = asYaml({ source, start: first.start, end }, key) ?? asYaml(withoutTabs(source, first.start, end), key);
  if (member !== null) return member;
  const node = mapBelow(lines, from, source, key) ?? looseText({ source, path: key, lines, from });
  return node === null ? null : { key: { source, path: key, start: first.start, end: own }, node };
}

/** A map below its key, each of whose keys is read by itself in turn; null where the lines below are none. */
function mapBelow([first, ...below]: HeadLine[], from: number, source: Source, path: string): Node | null {
  if (first === undefined || !/^(?:#.*)?$/.test(first.text.slice(from).trim())) return null;
  const filled = below.filter(({ text }) => text !== '');
  const indent = Math.min(...filled.map(({ text }) => text.search(/\S/)));
  if (indent === 0 || filled.some(({ text }) => text.slice(0, indent).includes('\t'))) return null;
  const lines = below.map((line) => (line.text === '' ? line : inward(line, indent)));
  if (lines.some(({ text }) => /^[^\s#]/.test(text) && !/^[A-Za-z_][\w-]*:(?:[ \t]|$)/.test(text))) return null;
  const blocks = blocksOf(lines, (key, _head, line) => key !== '' && !/^\s/.test(line));
  // An alias is refused as such: nobody means a text by it.
  const isSound = blocks?.every(({ lines: [own], from: at }) => !/^\*[\w-]+$/.test(own?.text.slice(at) ?? '')) ?? false;
  const members = blocks === null || !isSound ? null : membersOf(blocks, source);
  const [start, end] = [filled.at(0), filled.at(-1)];
  if (members === null || members.size === 0 || start === undefined || end === undefined) return null;
  const node: Node = {
    source,
    path: '',
    start: start.start + indent,
    end: end.start + end.text.length,
    value: Object.fromEntries([...members].map(([key, member]) => [key, member.node.value])),
    members,
    items: null,
    style: null,
  };
  return withPath(node, path);
}

function inward({ text, start }: HeadLine, indent: number): HeadLine {
  return { text: text.slice(indent), start: start + indent };
}

/** What stands below a path, with that path before its own. */
function withPath(node: Node, path: string): Node {
  const joined = (own: string): string => (own === '' ? path : own.startsWith('[') ? path + own : `${path}.${own}`);
  return {
    ...node,
    path: joined(node.path),
    members:
      node.members &&
      new Map(
        [...node.members].map(([key, member]) => [
          key,
          { key: { ...member.key, path: joined(member.key.path) }, node: withPath(member.node, path) },
        ]),
      ),
    items: node.items && node.items.map((item) => withPath(item, path)),
  };
}

/** The one member of a stretch that is YAML without any fault. */
function asYaml(yaml: YamlText, key: string): Member | null {
  let faults = 0;
  const node = parseYaml(yaml, () => faults++);
  const member = node?.members?.size === 1 ? node.members.get(key) : undefined;
  return faults > 0 || member === undefined ? null : member;
}

/** The same with a blank for each tab of an indentation: as long, so that places stay right. */
function withoutTabs(source: Source, start: number, end: number): YamlText {
  const text = source.text.slice(start, end).replace(/^[ \t]*\t[ \t]*/gm, (indent) => ' '.repeat(indent.length));
  return { source: { ...source, text: source.text.slice(0, start) + text + source.text.slice(end) }, start, end };
}
