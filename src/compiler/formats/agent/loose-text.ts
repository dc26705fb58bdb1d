import type { Source } from '../../problems/source.js';
import type { Node } from '../../text/node.js';
import { splitTools } from './agent-tools.js';

interface LooseValue {
  source: Source;
  path: string;
  /** Lines of the source without their ends. */
  lines: { text: string; start: number }[];
  /** Where the value begins in the first line. */
  from: number;
}

/**
 * The value of a key that is no YAML, as whoever wrote it means it: a list where each line or all of it is one, else a
 * text. Null for a list or a map that nothing closes, and for what is nested.
 */
export function looseText({ source, path, lines, from }: LooseValue): Node | null {
  const [head, ...below] = lines;
  if (head === undefined) return null;
  const first = head.text.slice(from).trim();
  const start = head.start + (first === '' ? from : head.text.indexOf(first, from));
  const last = lines.at(-1) ?? head;
  const leaf = (value: string, at = start, end = last.start + last.text.length): Node => ({
    source,
    path,
    start: at,
    end: Math.max(end, at + 1),
    value,
    members: null,
    items: null,
    style: 'plain',
  });
  const filled = below.filter(({ text }) => text.trim() !== '');

  if (first === '' || first.startsWith('#')) return listBelow(filled, leaf);
  const whole = [first, ...filled.map(({ text }) => text.trim())].join(' ');
  if (first.startsWith('[') && !first.includes(']') && !whole.endsWith(']')) return null;
  if (first.startsWith('[') && whole.endsWith(']'))
    return listOf(splitTools(whole.slice(1, -1)).map((item) => leaf(unquoted(item))));
  if (first.startsWith('{') && (!first.includes('}') || whole.endsWith('}'))) return null;
  const texts = below.map(({ text }) => text);
  return leaf(/^[|>][+-]?\d?[+-]?$/.test(first) ? blockText(first, texts) : unquoted(folded([first, ...texts])));
}

type Leaf = (value: string, at?: number, end?: number) => Node;

/** A list with a line for each item; null where a line is none. */
function listBelow(lines: LooseValue['lines'], leaf: Leaf): Node | null {
  const items = lines.map((line) => ({ line, item: /^\s*-\s+(.+)$/.exec(line.text)?.[1] }));
  if (items.length === 0 || items.some(({ item }) => item === undefined)) return null;
  return listOf(
    items.map(({ line, item = '' }) =>
      leaf(unquoted(item), line.start + line.text.indexOf(item), line.start + line.text.length),
    ),
  );
}

function listOf(items: Node[]): Node | null {
  const [first] = items;
  if (first === undefined) return null;
  return { ...first, end: items.at(-1)?.end ?? first.end, value: items.map(({ value }) => value), items, style: null };
}

/** A text below `|` or `>` that is not indented as YAML wants it. */
function blockText(header: string, lines: string[]): string {
  if (header.startsWith('>')) return folded(lines);
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const least = Math.min(...indents);
  return lines
    .map((line) => line.slice(least))
    .join('\n')
    .trim();
}

/** Lines as YAML folds them: a break is a blank, and an empty line is a break. */
function folded(lines: string[]): string {
  return lines
    .map((line) => line.trim())
    .join('\n')
    .trim()
    .replace(/\n+/g, (breaks) => (breaks.length === 1 ? ' ' : breaks.slice(1)));
}

/** A text without the quotes around it, or without the one that nothing closes. */
function unquoted(text: string): string {
  const quote = text[0] ?? '';
  if (quote !== '"' && quote !== "'") return text;
  const rest = text.slice(1);
  // The next one, but for escapes and apostrophes.
  const next = rest.search(quote === '"' ? /(?<!\\)"/ : /'(?!\w)|(?<!\w)'/);
  const inner = next === -1 ? rest : rest.endsWith(quote) ? rest.slice(0, -1) : null;
  // Where it closes the first one and more follows, the text has parts in quotes, and none around it.
  if (inner === null || (next !== -1 && next < inner.length && /\S/.test(rest[next - 1] ?? ' '))) return text;
  return quote === '"'
    ? inner.replace(/\\(["\\nt])/g, (_, letter: string) => ({ n: '\n', t: '\t' })[letter] ?? letter)
    : inner.replaceAll("''", "'");
}
