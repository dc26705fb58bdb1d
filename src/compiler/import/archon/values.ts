import type { Json } from '../../../plan/values/json.js';
import { memberOf } from '../../text/node.js';
import type { Node } from '../../text/node.js';
import { AS_IT_IS, findReferences, meaningOf, promptText } from './references.js';
import type { Task } from './step-parts.js';
import { siteOf } from './step-parts.js';

/**
 * A value of a `with:` in our words: a text that is one whole reference keeps its type. Undefined when something in it
 * means nothing, which is reported.
 */
export function valueTemplate(task: Task, path: string[]): Json | undefined {
  const at = path.reduce<Node | null>((holder, key) => holder && memberOf(holder, key), task.node.at);
  if (at === null) return '';
  const { value } = at;
  if (typeof value === 'string') return textTemplate(value, task, path);
  const { from, if_skipped: otherwise } = objectOf(value);
  if (typeof from !== 'string') return value;
  const text = textTemplate(from, task, [...path, 'from']);
  if (typeof text !== 'string' || otherwise === undefined) return text;
  return text.replace(/( \?\? '')?\}$/, ` ?? ${literalOf(otherwise)}}`);
}

function textTemplate(text: string, task: Task, path: string[]): string | undefined {
  const site = siteOf(task, path);
  const [only, second] = findReferences(text);
  const isWhole = only !== undefined && second === undefined && text.trim() === text.slice(only.start, only.end);
  const written = isWhole ? meaningOf(only, site) : promptText(text, site);
  return written === AS_IT_IS ? text : (written ?? undefined);
}

function objectOf(value: Json): { from?: Json; if_skipped?: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** A value as it is written inside `${…}`, where there are no lists and maps. */
function literalOf(value: Json): string {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`;
  return typeof value === 'object' && value !== null
    ? `'${JSON.stringify(value).replace(/[\\']/g, '\\$&')}'`
    : String(value);
}
