import type { Json } from '../../plan/values/json.js';
import type { Member, Node } from '../text/node.js';
import type { Finding, Place, Report } from '../problems/problem.js';
import type { Source } from '../problems/source.js';
import type { YamlText } from '../text/yaml.js';
import { FORBIDDEN_KEYS, parseYaml } from '../text/yaml.js';

/** Markdown with front matter as one map: the front matter's keys, and `prompt` for the text below it. */
export function parseMarkdown(source: Source, report: Report): Node | null {
  const { text } = source;
  const whole: Place = { source, path: '', start: 0, end: Math.min(3, text.length) };
  if (/\/SKILL\.md$/.test(source.absolute)) {
    report({
      code: 'foreign-file',
      at: whole,
      message: 'This seems to be a skill of Claude Code, which Perdure does not run.',
    });
    return null;
  }
  const opening = /^---[ \t]*\r?\n/.exec(text);
  const closing = opening === null ? null : findClosing(text, opening[0].length);
  if (opening === null || closing === null) {
    const message =
      opening === null
        ? 'Expected front matter between two lines `---` at the start of the file.'
        : 'Expected a second line `---` that ends the front matter which begins here.';
    report({ code: 'unsupported-format', at: whole, message });
    return null;
  }
  const head = parseHead({ source, start: opening[0].length, end: closing.start }, report);
  if (head === null) return null;
  if (head.members === null) {
    report({ code: 'invalid-value', at: head, message: 'Expected keys and values in the front matter.' });
    return null;
  }
  return withPrompt(head, bodyOf(source, closing.end));
}

/** YAML, or what Claude Code takes for it: lines `key: text`, whatever the text holds. */
function parseHead(yaml: YamlText, report: Report): Node | null {
  const findings: Finding[] = [];
  const head = parseYaml(yaml, (finding) => findings.push(finding));
  if (head !== null) return head;
  const lines = findings.every(({ code }) => code === 'invalid-yaml') ? parseLines(yaml) : null;
  const [first] = findings;
  if (lines === null || first === undefined) findings.forEach(report);
  else {
    const { at } = first;
    report({
      code: 'invalid-yaml',
      severity: 'warning',
      at,
      message: 'The front matter is no YAML; each line is taken as `key: text`.',
      suggestion: 'put texts with `: ` in quotes',
    });
  }
  return lines;
}

function parseLines({ source, start, end }: YamlText): Node | null {
  const members = new Map<string, Member>();
  let at = start;
  for (const line of source.text.slice(start, end).split('\n')) {
    const found = /^([A-Za-z][A-Za-z_-]*):[ \t]*(.*?)[ \t\r]*$/.exec(line);
    const [, key = '', value = ''] = found ?? [];
    if (line.trim() !== '' && (found === null || members.has(key) || FORBIDDEN_KEYS.has(key) || isOpen(value)))
      return null;
    if (value !== '') {
      const from = at + line.indexOf(value, key.length + 1);
      const node: Node = {
        source,
        path: key,
        start: from,
        end: from + value.length,
        value,
        members: null,
        items: null,
        style: null,
      };
      members.set(key, { key: { source, path: key, start: at, end: at + key.length }, node });
    }
    at += line.length + 1;
  }
  const value = Object.fromEntries([...members].map(([key, { node }]) => [key, node.value]));
  return { source, path: '', start, end, value, members, items: null, style: null };
}

/** A list or a map whose bracket nothing closes is no text. */
function isOpen(value: string): boolean {
  return (value.startsWith('[') && !value.includes(']')) || (value.startsWith('{') && !value.includes('}'));
}

function findClosing(text: string, from: number): { start: number; end: number } | null {
  const pattern = /^---[ \t]*$/gm;
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  return found === null ? null : { start: found.index, end: found.index + found[0].length };
}

function bodyOf(source: Source, from: number): Node | null {
  const body = source.text.slice(from);
  const value = body.trim();
  if (value === '') return null;
  const start = from + body.indexOf(value[0] ?? '');
  return { source, path: 'prompt', start, end: start + value.length, value, members: null, items: null, style: null };
}

function withPrompt(head: Node, body: Node | null): Node {
  if (body === null) return head;
  const members = new Map<string, Member>([
    ...(head.members ?? []),
    ['prompt', { key: { ...body, end: body.start + 1 }, node: body }],
  ]);
  const value: Record<string, Json> = Object.fromEntries([...members].map(([key, { node }]) => [key, node.value]));
  return { ...head, members, value };
}
