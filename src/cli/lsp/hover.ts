import type { Hover } from 'vscode-languageserver/node';
import { priceOf } from '../../activities/models/choice/prices.js';
import { loadConfig } from '../../compiler/project/config.js';
import { findProject } from '../../compiler/project/project.js';
import { withOverlay } from '../../compiler/text/disk.js';
import { isAt } from '../../compiler/problems/source.js';
import type { Node } from '../../compiler/text/node.js';
import { wantedModel } from '../../plan/agents/model-names.js';
import { isObject } from '../../plan/values/json.js';
import type { Asking } from './asking.js';
import type { OpenDocument } from './documents.js';
import { flowNameAt } from './flow-names.js';
import { aboutName } from './named-files.js';
import { wordAt } from './navigation.js';
import { parameterAt } from './parameters.js';
import { pathAt } from './read-document.js';
import { keysAt, schemaOf } from './schema-place.js';
import { meaningOf, referenceAt, typeText } from './types.js';
import { ownOf } from '../../plan/values/own.js';

/** What stands at an offset: a reference's type, what a name or a key means, a model and its price. */
export function hoverAt(asking: Asking): Hover | null {
  const { document, read } = asking;
  const isFlow = document.path?.endsWith('.flow') === true;
  const value = parameterAt(asking)?.about ?? (isFlow ? aboutFlow(asking) : aboutNode(asking, read(document.text)));
  return value === null ? null : { contents: { kind: 'markdown', value } };
}

function aboutNode(asking: Asking, root: Node | null): string | null {
  const { document, offset } = asking;
  const last = root === null ? undefined : pathAt(root, offset).at(-1);
  if (root === null || last === undefined) return null;
  const { key, node } = last;
  return (
    aboutReference(root, node, offset) ??
    aboutKey(document, node, offset) ??
    (key === 'model' ? aboutModel(node, asking) : null) ??
    (typeof node.value === 'string' ? aboutName({ key, name: node.value }, asking) : null)
  );
}

/** A capture, an agent of the flow itself, or one of a file. */
function aboutFlow(asking: Asking): string | null {
  const { text } = asking.document;
  const named = flowNameAt(text, asking.offset);
  const at = named?.places[0]?.start;
  if (named === null || at === undefined) {
    const name = wordAt(text, asking.offset);
    return name === '' ? null : aboutName({ key: 'agent', name }, asking);
  }
  if (named.kind === 'agent') {
    const [body] = /^[^{}]*\{[^{}]*\}/.exec(text.slice(at)) ?? [];
    return `\`$${named.name}\`: an agent of this flow${body === undefined ? '' : `\n\n\`\`\`\n$${body}\n\`\`\``}`;
  }
  if (named.kind === 'label') return null;
  const [, who = ''] =
    /(\$?[\w-]+|@[\w-]+|[\])])(?:\([^()]*\))?\s*(?::\s*"(?:\\.|[^"\\])*")?\s*:\s*$/.exec(text.slice(0, at)) ?? [];
  return `\`{${named.name}}\`: ${/[\])]/.test(who) || who === '' ? 'what comes out here' : `what \`${who}\` says`}`;
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
  const name = keys.find(([, { key }]) => isAt(key, offset))?.[0];
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
function aboutModel({ value }: Node, { cwd, documents: { texts } }: Asking): string | null {
  if (typeof value !== 'string') return null;
  const { config } = withOverlay({ texts }, () => loadConfig(findProject(cwd)));
  const model = wantedModel(value, config.models ?? {}, {});
  const price = ownOf(config.models?.prices, model) ?? priceOf(model);
  const cost =
    price === null ? 'its price is not known' : `$${price.input} in, $${price.output} out, for a million tokens`;
  return `\`${model}\`: ${cost}`;
}
