import type { Json } from '../../../plan/values/json.js';
import type { Member, Node } from '../../text/node.js';
import type { Place, Report } from '../../problems/problem.js';
import type { Source } from '../../problems/source.js';
import { parseFrontMatter } from './front-matter.js';

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
  const opening = /^\s*---[ \t]*\r?\n/.exec(text);
  const closing = opening === null ? null : findClosing(text, opening[0].length);
  if (opening === null || closing === null) {
    const message =
      opening === null
        ? 'Expected front matter between two lines `---` at the start of the file.'
        : 'Expected a second line `---` that ends the front matter which begins here.';
    report({ code: 'unsupported-format', at: whole, message });
    return null;
  }
  const head = parseFrontMatter({ source, start: opening[0].length, end: closing.start }, report);
  if (head === null) return null;
  if (head.members === null) {
    report({ code: 'invalid-value', at: head, message: 'Expected keys and values in the front matter.' });
    return null;
  }
  return withPrompt(head, bodyOf(source, closing.end));
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
