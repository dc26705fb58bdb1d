import type { CompletionItem } from 'vscode-languageserver/node';
import { jsonSchemaOf } from '../../compiler/schemas.js';
import { findProject } from '../../compiler/project/project.js';
import { createResolver } from '../../compiler/project/resolve.js';
import { withOverlay } from '../../compiler/text/disk.js';
import { SHORT_NAMES } from '../../plan/agents/model-names.js';
import { STEP_FIELDS } from '../../compiler/expressions/scope.js';
import type { Documents, OpenDocument } from './documents.js';

/** What may stand at an offset: references, names of steps, agents, tools and models, keys of steps. */
export function completeAt(
  document: OpenDocument,
  offset: number,
  cwd: string,
  documents: Documents,
): CompletionItem[] {
  const line = document.text.slice(document.text.lastIndexOf('\n', offset - 1) + 1, offset);
  const open = line.lastIndexOf('${');
  if (open !== -1 && !line.slice(open).includes('}')) return references(document.text, line.slice(open + 2));
  const [, key = ''] = /^\s*(?:- )?([a-z_]+):\s*\[?[^\]:]*$/.exec(line) ?? [];
  const list = (labels: string[], kind: CompletionItem['kind']): CompletionItem[] =>
    [...new Set(labels)].map((label) => ({ label, ...(kind === undefined ? {} : { kind }) }));
  switch (key) {
    case 'agent':
      return list(namesIn(cwd, documents).agents, 7);
    case 'tool':
    case 'tools':
      return list(namesIn(cwd, documents).tools, 3);
    case 'needs':
    case 'after':
    case 'rework':
      return list(idsIn(document.text), 6);
    case 'model':
      return list(SHORT_NAMES, 12);
    case '':
      return /^\s*(?:- )?[a-z_]*$/.test(line) ? keysAt(line) : [];
    default:
      return list(valuesOf(key), 12);
  }
}

function references(text: string, written: string): CompletionItem[] {
  const [, id] = /(?:^|[^\w.])steps\.([\w-]+)\.\w*$/.exec(written) ?? [];
  if (id !== undefined) return STEP_FIELDS.map((label) => ({ label, kind: 5 }));
  if (/(?:^|[^\w.])steps\.[\w-]*$/.test(written)) return idsIn(text).map((label) => ({ label, kind: 6 }));
  return [...namesOf(text), 'steps'].map((label) => ({ label, kind: 6 }));
}

/** Ids of steps, by their lines: what is being written is seldom sound. */
function idsIn(text: string): string[] {
  return [...text.matchAll(/^\s*(?:- )?(?:\{\s*)?id:\s*["']?([A-Za-z_][\w-]*)/gm)].map(([, id]) => id ?? '');
}

/** Names of outputs and of declared inputs. */
function namesOf(text: string): string[] {
  const [, inputs = ''] = /^inputs:[^\n]*\n((?:[ \t]+[^\n]*\n|\s*\n)*)/m.exec(text) ?? [];
  const indent = /^[ \t]+/.exec(inputs)?.[0] ?? '  ';
  const declared = [...inputs.matchAll(new RegExp(`^${indent}([A-Za-z_][\\w-]*):`, 'gm'))].map(
    ([, name]) => name ?? '',
  );
  const outputs = [...text.matchAll(/^\s+(?:- )?output:\s*([A-Za-z_][\w-]*)\s*$/gm)].map(([, name]) => name ?? '');
  return [...new Set([...declared, ...outputs])];
}

function namesIn(cwd: string, { texts }: Documents): { agents: string[]; tools: string[] } {
  return withOverlay({ texts }, () => {
    const resolver = createResolver(findProject(cwd));
    return { agents: resolver.agents().map(({ name }) => name), tools: resolver.tools() };
  });
}

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: string[];
  description?: string;
  $ref?: string;
  [key: string]: unknown;
}

/** Keys of a workflow at the margin, of steps elsewhere, with what each says. */
function keysAt(line: string): CompletionItem[] {
  const keys = /^[a-z_]*$/.test(line) ? workflowKeys() : stepKeys();
  return [...keys].map(([label, { description = '' }]) => ({
    label,
    kind: 10,
    insertText: `${label}: `,
    documentation: description,
  }));
}

function valuesOf(key: string): string[] {
  const schema = stepKeys().get(key) ?? workflowKeys().get(key);
  const found = schema?.enum ?? schema?.anyOf?.flatMap((one) => one.enum ?? []) ?? [];
  return found.map(String);
}

function workflowKeys(): Map<string, Schema> {
  const { properties = {} } = jsonSchemaOf('workflow') as Schema; // a JSON Schema of a map
  return new Map(Object.entries(properties));
}

function stepKeys(): Map<string, Schema> {
  const schema = jsonSchemaOf('workflow') as Schema; // a JSON Schema of a map
  const found = new Map<string, Schema>();
  const look = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(look);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const { properties } = node as Schema; // an object is looked at as a schema
    if (properties !== undefined && 'on_error' in properties && 'deadline' in properties)
      for (const [key, value] of Object.entries(properties)) if (!found.has(key)) found.set(key, value);
    Object.values(node).forEach(look);
  };
  look(schema);
  return found;
}
