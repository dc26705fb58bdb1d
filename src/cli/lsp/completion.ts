import { extname } from 'node:path';
import type { CompletionItem } from 'vscode-languageserver/node';
import { CompletionItemKind } from 'vscode-languageserver/node';
import type { Asking } from './asking.js';
import { completeFlow } from './flow-completion.js';
import { namesFor, namesUnder } from './known-names.js';
import { completeReference, idsIn } from './reference-completion.js';
import type { Schema } from './schema-place.js';
import { keysAt, schemaOf, valuesAt } from './schema-place.js';
import type { WritingPlace } from './writing-place.js';
import { placeInBrackets, placeInYaml } from './writing-place.js';

/** What may stand at an offset: references, names of steps, agents, tools and models, keys and their values. */
export function completeAt(asking: Asking): CompletionItem[] {
  const { document, offset, cwd, documents } = asking;
  const { text, path } = document;
  if (path === null) return [];
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const open = line.lastIndexOf('${');
  if (open !== -1 && !line.slice(open).includes('}')) return completeReference(asking, line.slice(open + 2));
  const names = namesFor(path, cwd, documents);
  const head = headOf(path, text);
  if (head !== null && offset > head) return path.endsWith('.flow') ? completeFlow(text, offset, head, names) : [];
  const place = placeOf(path, text, offset);
  const schema = place === null ? null : schemaOf(path, text);
  if (place === null || schema === null) return [];
  const keys = place.what === 'value' ? [] : keyItems(keysAt(schema, place), /"[\w-]*$/.test(line));
  if (place.what === 'key') return keys;
  const values = [...idsUnder(place.path, text), ...namesUnder(place.path, names), ...valuesAt(schema, place.path)];
  return [...valueItems(values, namesUnder(place.path, names)), ...keys];
}

/** Where the front matter of a text ends; null for a document that is one as a whole. */
function headOf(path: string, text: string): number | null {
  if (!['.md', '.agent', '.flow'].includes(extname(path))) return null;
  const opening = /^\s*---[ \t]*\r?\n/.exec(text);
  if (opening === null) return -1;
  const closing = /^---[ \t]*(?:\r?\n|$)/m.exec(text.slice(opening[0].length));
  return closing === null ? text.length : opening[0].length + closing.index;
}

function placeOf(path: string, text: string, offset: number): WritingPlace | null {
  return extname(path) === '.json' ? placeInBrackets(text.slice(0, offset)) : placeInYaml(text, offset);
}

/** Ids of steps, where steps are named by them. */
function idsUnder(path: string[], text: string): string[] {
  const keys = path.filter((segment) => segment !== '[]');
  return ['needs', 'after', 'rework', 'different_from', 'of'].includes(keys.at(-1) ?? '') ? idsIn(text) : [];
}

function keyItems(keys: ReadonlyMap<string, Schema>, isQuoted: boolean): CompletionItem[] {
  return [...keys].map(([label, { description = '' }]) => ({
    label,
    kind: CompletionItemKind.Property,
    insertText: isQuoted ? label : `${label}: `,
    documentation: description,
  }));
}

function valueItems(values: string[], names: string[]): CompletionItem[] {
  return [...new Set(values)].map((label) => ({
    label,
    kind: names.includes(label) ? CompletionItemKind.Reference : CompletionItemKind.EnumMember,
  }));
}
