import type { Scope } from '../../plan/references/evaluate.js';
import { evaluate, renderToText } from '../../plan/references/evaluate.js';
import { insideTags } from '../../plan/text/data-block.js';
import type { Template } from '../../plan/values/expression.js';
import { toText } from '../../plan/values/json.js';

/**
 * A template's text, in which no value ends a container that its author put around it: of values between `<tag>` and
 * `</tag>`, what would end that tag is written `<\/tag>`. All else stays letter for letter.
 */
export function renderFramed(template: Template, scope: Scope): string {
  if (template.kind !== 'text') return renderToText(template, scope);
  let written = '';
  const values: Placed[] = [];
  for (const part of template.parts) {
    if (typeof part === 'object' && 'expression' in part)
      values.push({ at: written.length, text: toText(evaluate(part.expression, scope)) });
    else written += scope.text(part);
  }
  return filled(written, values);
}

/** A value, and where it stands in what the author wrote. */
interface Placed {
  at: number;
  text: string;
}

/** A tag of a container that begins and ends in what the author wrote. */
interface Tag {
  name: string;
  begins: boolean;
  start: number;
  end: number;
}

const TAG = /<(\/?)([A-Za-z][\w-]*)(?:\s[^<>]*)?>/g;

/** Tags that begin something which ends later, and those that end it, in the order of the text. */
function pairedTags(written: string): Tag[] {
  const open = new Map<string, Tag[]>();
  const paired: Tag[] = [];
  for (const { 0: text, 1: slash, 2: word = '', index: start } of written.matchAll(TAG)) {
    const tag = { name: word.toLowerCase(), begins: slash === '', start, end: start + text.length };
    const waiting = open.get(tag.name) ?? [];
    if (tag.begins) open.set(tag.name, waiting);
    const begun = tag.begins ? undefined : waiting.pop();
    if (tag.begins) waiting.push(tag);
    if (begun !== undefined) paired.push(begun, tag);
  }
  return paired.sort((one, other) => one.start - other.start);
}

/** Between two tags all is guarded at once where a value is in it: the end of a tag may come from two values. */
function filled(written: string, values: Placed[]): string {
  let next = 0;
  const fill = (from: number, to: number, last: number): { text: string; hasValue: boolean } => {
    let [text, done] = ['', from];
    const first = next;
    for (let value = values[next]; value !== undefined && value.at <= last; value = values[(next += 1)]) {
      text += written.slice(done, value.at) + value.text;
      done = value.at;
    }
    return { text: text + written.slice(done, to), hasValue: next > first };
  };
  const depths = new Map<string, number>();
  const between = (from: number, to: number): string => {
    const { text, hasValue } = fill(from, to, to);
    return hasValue
      ? insideTags(
          text,
          [...depths].flatMap(([name, depth]) => (depth > 0 ? [name] : [])),
        )
      : text;
  };
  let [text, done] = ['', 0];
  for (const { name, begins, start, end } of pairedTags(written)) {
    text += between(done, start) + fill(start, end, end - 1).text;
    depths.set(name, (depths.get(name) ?? 0) + (begins ? 1 : -1));
    done = end;
  }
  return text + between(done, written.length);
}
