import type { Hover } from 'vscode-languageserver/node';
import { priceOf } from '../../activities/models/choice/prices.js';
import { loadConfig } from '../../compiler/project/config.js';
import { findProject } from '../../compiler/project/project.js';
import { withOverlay } from '../../compiler/text/disk.js';
import type { Node } from '../../compiler/text/node.js';
import { wantedModel } from '../../plan/agents/model-names.js';
import { isObject } from '../../plan/values/json.js';
import type { Documents, OpenDocument } from './documents.js';
import { pathAt, readOpen } from './read-document.js';
import { keysAt, schemaOf } from './schema-place.js';
import { meaningOf, referenceAt, typeText } from './types.js';

/** What stands at an offset: a reference's type, a model and its price, or what a key says. */
export function hoverAt(document: OpenDocument, offset: number, cwd: string, documents: Documents): Hover | null {
  const root = readOpen(document);
  const last = root === null ? undefined : pathAt(root, offset).at(-1);
  if (root === null || last === undefined) return null;
  const value =
    aboutReference(root, last.node, offset) ??
    aboutKey(document, last.node, offset) ??
    (last.key === 'model' ? aboutModel(last.node, cwd, documents) : null);
  return value === null ? null : { contents: { kind: 'markdown', value } };
}

/** The type of a reference, and what is said of the input or the output. */
function aboutReference(root: Node, node: Node, offset: number): string | null {
  const written = referenceAt(node, offset);
  const meaning = written && meaningOf(root, written);
  if (written === null || meaning === null) return null;
  const { description } = isObject(meaning.schema) ? meaning.schema : {};
  const type = `\`${written.source}\`: ${typeText(meaning.schema)}`;
  return typeof description === 'string' ? `${type}\n\n${description}` : type;
}

/** What the schema of the format says of the key at an offset. */
function aboutKey({ path, text }: OpenDocument, node: Node, offset: number): string | null {
  const keys = [...(node.members ?? [])];
  const name = keys.find(([, { key }]) => key.start <= offset && offset <= key.end)?.[0];
  const schema = path === null || name === undefined ? null : schemaOf(path, text);
  if (name === undefined || schema === null) return null;
  const beside = new Set(keys.map(([key]) => key).filter((key) => key !== name));
  const description = keysAt(schema, { path: segmentsOf(node.path), beside }).get(name)?.description;
  return description === undefined ? null : `\`${name}\`: ${description}`;
}

/** `steps[0].retry` as schemas are asked for it. */
function segmentsOf(path: string): string[] {
  return [...path.matchAll(/[^.[\]]+|\[\d+\]/g)].map(([segment]) => (segment.startsWith('[') ? '[]' : segment));
}

/** What a model stands for and costs. */
function aboutModel({ value }: Node, cwd: string, { texts }: Documents): string | null {
  if (typeof value !== 'string') return null;
  const { config } = withOverlay({ texts }, () => loadConfig(findProject(cwd)));
  const model = wantedModel(value, config.models ?? {}, {});
  const price = config.models?.prices?.[model] ?? priceOf(model);
  const cost =
    price === null ? 'its price is not known' : `$${price.input} in, $${price.output} out, for a million tokens`;
  return `\`${model}\`: ${cost}`;
}
