import type { Json } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import type { GraphNode } from './graph.js';

/** What a node yields: a text, a number, a list, or JSON with fields, whose types are known where they are declared. */
export type Shape =
  | { kind: 'text' | 'number' | 'list' }
  | { kind: 'json'; fields: ReadonlyMap<string, string | null>; declared: boolean };

/** What a workflow reads of its nodes. */
export interface Reads {
  fields: Map<string, Set<string>>;
  /** Nodes whose whole output is compared as a number. */
  numbers: Set<string>;
  /** Nodes whose whole output is a list that another goes through. */
  lists: Set<string>;
}

const FIELD = /\$(?:LOOP_PREV\.)?([A-Za-z_][\w-]*)\.output\.([A-Za-z_]\w*)/g;
const SHORT_FIELD = /\$([A-Za-z_][\w-]*)\.(?!output\b)([A-Za-z_]\w*)/g;
const NUMBER = /\$([A-Za-z_][\w-]*)\.output\s*(?:[<>]=?)/g;

/** What some texts, and the conditions among them, read of nodes. */
export function readsOf(texts: string[], conditions: string[], items: string[]): Reads {
  const fields = new Map<string, Set<string>>();
  const add = (id: string, field: string): void => {
    fields.set(id, (fields.get(id) ?? new Set()).add(field));
  };
  for (const text of texts) for (const [, id = '', field = ''] of text.matchAll(FIELD)) add(id, field);
  for (const text of conditions)
    for (const [, id = '', field = ''] of text.matchAll(SHORT_FIELD)) if (id !== 'INPUTS') add(id, field);
  return {
    fields,
    numbers: new Set(conditions.flatMap((text) => [...text.matchAll(NUMBER)].map(([, id = '']) => id))),
    lists: new Set(items.flatMap((text) => /^\s*\$([A-Za-z_][\w-]*)\.output\s*$/.exec(text)?.[1] ?? [])),
  };
}

/** Every text of a document, keys apart. */
export function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** What a node yields, by what it declares, and what is read of it. */
export function shapeOf({ id, kind, said }: GraphNode, { fields, numbers, lists }: Reads): Shape {
  const read = fields.get(id) ?? new Set<string>();
  const format = kind === 'loop_group' ? undefined : said.output_format;
  if (format !== undefined && kind !== 'bash' && kind !== 'script')
    return { kind: 'json', fields: typesIn(format), declared: true };
  if (kind === 'approval' && said.approval?.decisions !== undefined && read.size > 0)
    return {
      kind: 'json',
      fields: new Map([
        ['decision', 'string'],
        ['text', 'string'],
      ]),
      declared: true,
    };
  if (read.size > 0) return { kind: 'json', fields: new Map([...read].map((field) => [field, null])), declared: false };
  if (lists.has(id)) return { kind: 'list' };
  return numbers.has(id) && (kind === 'bash' || kind === 'script') ? { kind: 'number' } : { kind: 'text' };
}

function typesIn({ properties }: Record<string, Json>): Map<string, string | null> {
  if (!isObject(properties)) return new Map();
  return new Map(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isObject(schema) && typeof schema['type'] === 'string' ? schema['type'] : null,
    ]),
  );
}
