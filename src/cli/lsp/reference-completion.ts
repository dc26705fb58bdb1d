import { extname } from 'node:path';
import type { CompletionItem } from 'vscode-languageserver/node';
import { CompletionItemKind } from 'vscode-languageserver/node';
import { GROUP_FIELDS, REWORK_FIELDS, STEP_FIELDS } from '../../compiler/expressions/scope.js';
import { memberOf } from '../../compiler/text/node.js';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { Asking } from './asking.js';
import type { OpenDocument } from './documents.js';
import { everyStep } from './read-document.js';
import { outputSchema } from './types.js';
import { ownOf } from '../../plan/values/own.js';

/** What may stand in a `${…}` behind what is `written` of it so far. */
export function completeReference(asking: Asking, written: string): CompletionItem[] {
  const { document } = asking;
  const { text } = document;
  const [, path = ''] = /((?:[A-Za-z_][\w-]*(?:\.|(?=\[))|\[\d+\]\.?)*)[\w-]*$/.exec(written) ?? [];
  const segments = path.split(/[.[\]]+/).filter((segment) => segment !== '');
  const [root, name, field, ...rest] = segments;
  if (root === undefined) return items([...namesOf(document), ...wordsIn(text)], CompletionItemKind.Variable);
  if (root === 'rework') return items(REWORK_FIELDS);
  if (root === 'parallel_group') return items(name === undefined ? groupsIn(text) : GROUP_FIELDS);
  if (root !== 'steps') return items(fieldsOf(asking, { output: root }, segments.slice(1)));
  if (name === undefined) return items(idsIn(text), CompletionItemKind.Variable);
  if (field === undefined) return items(STEP_FIELDS);
  return field === 'output' ? items(fieldsOf(asking, { id: name }, rest)) : [];
}

function items(labels: string[], kind: CompletionItemKind = CompletionItemKind.Field): CompletionItem[] {
  return [...new Set(labels)].map((label) => ({ label, kind }));
}

/** Ids of steps, by their lines: what is being written is seldom sound. */
export function idsIn(text: string): string[] {
  return [...text.matchAll(/^\s*(?:- )?(?:\{\s*)?"?id"?:\s*["']?([A-Za-z_][\w-]*)/gm)].map(([, id]) => id ?? '');
}

function groupsIn(text: string): string[] {
  return [...text.matchAll(/\bparallel_group:\s*["']?([A-Za-z_][\w-]*)/g)].map(([, name]) => name ?? '');
}

/** Names of outputs and of declared inputs. */
function namesOf({ path, text }: OpenDocument): string[] {
  const [, inputs = ''] = /^inputs:[^\n]*\n((?:[ \t]+[^\n]*\n|\s*\n)*)/m.exec(text) ?? [];
  const indent = /^[ \t]+/.exec(inputs)?.[0] ?? '  ';
  const declared = [...inputs.matchAll(new RegExp(`^${indent}(?:- name:\\s*)?([A-Za-z_][\\w-]*)\\s*(?::|$)`, 'gm'))];
  const outputs = [...text.matchAll(/^\s+(?:- )?output:\s*([A-Za-z_][\w-]*)\s*$/gm)];
  const isAgent = ['.md', '.agent'].includes(extname(path ?? ''));
  return [...declared, ...(isAgent ? [] : outputs)].map(([, name]) => name ?? '');
}

/** Words of the language that mean something in this text. */
function wordsIn(text: string): string[] {
  const has = (key: RegExp): boolean => key.test(text);
  return [
    ...(has(/^steps:/m) ? ['steps'] : []),
    ...(has(/^\s+(?:- )?foreach:/m) ? ['item', 'index'] : has(/^\s+(?:- )?loop:/m) ? ['index'] : []),
    ...(has(/\bparallel_group:/) ? ['parallel_group'] : []),
    ...(has(/\brework:/) ? ['rework'] : []),
  ];
}

/** Fields of an output at a path. The line at hand is left out where the text is no document with it. */
function fieldsOf(
  { document: { text }, offset, read }: Asking,
  wanted: { id: string } | { output: string },
  path: string[],
): string[] {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const newline = text.indexOf('\n', offset);
  const end = newline === -1 ? text.length : newline;
  const root = read(text) ?? read(text.slice(0, start) + text.slice(end));
  const [[key, name] = ['id', '']] = Object.entries(wanted);
  const step = root && everyStep(root).find((one) => memberOf(one, key)?.value === name);
  let schema: Json = step ? outputSchema(step) : null;
  for (const segment of path) schema = /^\d+$/.test(segment) ? below(schema, 'items') : property(schema, segment);
  const properties = below(schema, 'properties');
  return isObject(properties) ? Object.keys(properties) : [];
}

function below(schema: Json, key: string): Json {
  return isObject(schema) ? (ownOf(schema, key) ?? null) : null;
}

function property(schema: Json, name: string): Json {
  return below(below(schema, 'properties'), name);
}
