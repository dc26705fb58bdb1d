import { basename, extname } from 'node:path';
import { z } from 'zod';
import { detectFormat } from '../../compiler/formats/detect.js';
import { agentFileSpelling } from '../../compiler/formats/agent/agent-file.js';
import { CLAUDE } from '../../compiler/formats/agent/agent-claude.js';
import { flowHead } from '../../compiler/formats/flow/document.js';
import { createSource } from '../../compiler/problems/source.js';
import { jsonSchemaOf } from '../../compiler/schemas.js';
import type { Json } from '../../plan/values/json.js';
import type { WritingPlace } from './writing-place.js';
import { ownOf } from '../../plan/values/own.js';

/** A JSON Schema, as far as editors ask it. */
export interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  definitions?: Record<string, Schema>;
  enum?: Json[];
  const?: Json;
  type?: string;
  description?: string;
  $ref?: string;
}

/** The schema of a file as its place and its keys say what it is; null where it has none. */
export function schemaOf(path: string, text: string): Schema | null {
  const extension = extname(path);
  if (extension === '.flow') return flowSchema();
  if (extension === '.agent') return agentFileSchema();
  if (extension === '.md') return markdownSchema();
  if (/\/definitions\/permissions\/[^/]+$/.test(path)) return null;
  if (/\/definitions\/devices\/[^/]+$/.test(path)) return ours('device');
  if (basename(path) === 'perdure.yml' || /\/\.glee\/config\.ya?ml$/.test(path)) return ours('config');
  return ours(formatOf(path, text));
}

const made = new Map<string, Schema>();

function once(name: string, make: () => Schema): Schema {
  const known = made.get(name) ?? make();
  made.set(name, known);
  return known;
}

const ours = (kind: Parameters<typeof jsonSchemaOf>[0]): Schema => once(kind, () => jsonSchemaOf(kind));

const flowSchema = (): Schema => once('.flow', () => toSchema(flowHead));

const agentFileSchema = (): Schema => once('.agent', () => toSchema(agentFileSpelling.schema));

/** Agents in Markdown are written in the words of other tools, or in ours; the text below is the prompt. */
const markdownSchema = (): Schema =>
  once('.md', () => {
    const { prompt: _, ...properties } = ours('agent').properties ?? {};
    const theirs = Object.entries(CLAUDE.fields).flatMap(([key, rule]): [string, Schema][] =>
      'lost' in rule ? [] : [[key, 'to' in rule ? (properties[rule.to] ?? {}) : {}]],
    );
    return { properties: { ...Object.fromEntries(theirs), ...properties } };
  });

function toSchema(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' }) as Schema; // a schema
}

/** What the compiler takes a file for, by the keys that its lines show: it need not be sound. */
function formatOf(path: string, text: string): NonNullable<ReturnType<typeof detectFormat>> {
  const keys = [...text.matchAll(/^(?:[{\t ]*"([\w-]+)"|([\w-]+)):/gm)].map(([, json, yaml]) => json ?? yaml ?? '');
  const value: Record<string, Json> = Object.fromEntries(keys.map((key) => [key, null]));
  if ('steps' in value) {
    const inside = [...text.matchAll(/^[\s{-]*"?(step|systemPrompt|modelRef)"?:/gm)].map(([, key]) => [key, null]);
    value['steps'] = [Object.fromEntries(inside) as Json]; // a map of keys alone
  }
  if (/^\s*"?models"?:\s*(?:\[|\n\s*-)/m.test(text)) value['models'] = [];
  const source = createSource(path, path, text);
  const node = { source, path: '', start: 0, end: 0, value, members: null, items: null, style: null };
  return detectFormat(node, () => undefined) ?? 'workflow';
}

/** The schemas that may hold at a place, each without `$ref` and alternatives. */
export function schemasAt(root: Schema, path: string[]): Schema[] {
  const plain = (schema: Schema, depth = 0): Schema[] => {
    if (depth > 8) return [];
    const named = schema.$ref === undefined ? undefined : root.definitions?.[schema.$ref.split('/').at(-1) ?? ''];
    const inner = [...(named === undefined ? [] : [named]), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    const all = [...inner, ...(schema.allOf ?? [])].flatMap((one) => plain(one, depth + 1));
    return [schema, ...all];
  };
  let schemas = plain(root);
  for (const segment of path)
    schemas = schemas.flatMap(({ items, properties, additionalProperties: more }) => {
      const next =
        segment === '[]' ? items : (ownOf(properties, segment) ?? (typeof more === 'object' ? more : undefined));
      return next === undefined ? [] : plain(next);
    });
  return schemas;
}

/** The keys that may still be written in a map: those of the alternatives that have all that is there already. */
export function keysAt(root: Schema, { path, beside }: Pick<WritingPlace, 'path' | 'beside'>): Map<string, Schema> {
  const maps = schemasAt(root, path).flatMap(({ properties }): Record<string, Schema>[] =>
    properties === undefined ? [] : [properties],
  );
  const fitting = maps.filter((properties) => [...beside].every((key) => Object.hasOwn(properties, key)));
  const keys = new Map<string, Schema>();
  for (const properties of fitting.length > 0 ? fitting : maps)
    for (const [key, schema] of Object.entries(properties))
      if (!keys.has(key) && !beside.has(key)) keys.set(key, schema);
  return keys;
}

/** The values that a schema names. */
export function valuesAt(root: Schema, path: string[]): string[] {
  return schemasAt(root, path).flatMap(({ enum: named = [], const: only, type }) => [
    ...named.map(String),
    ...(only === undefined ? [] : [String(only)]),
    ...(type === 'boolean' ? ['true', 'false'] : []),
  ]);
}
