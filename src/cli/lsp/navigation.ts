import type { DocumentSymbol, Hover, Location, WorkspaceEdit } from 'vscode-languageserver/node';
import { priceOf } from '../../activities/models/choice/prices.js';
import { loadConfig } from '../../compiler/project/config.js';
import { findProject } from '../../compiler/project/project.js';
import { createResolver } from '../../compiler/project/resolve.js';
import type { Resolution } from '../../compiler/project/resolve.js';
import { withOverlay } from '../../compiler/text/disk.js';
import { memberOf } from '../../compiler/text/node.js';
import { ID } from '../../plan/names.js';
import { wantedModel } from '../../plan/agents/model-names.js';
import type { Documents, OpenDocument } from './documents.js';
import { rangeOf } from './documents.js';
import type { NamedStep } from './read-document.js';
import { namedSteps, pathAt, readOpen } from './read-document.js';

const START = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** Where what stands at an offset is defined: a step, or the file of an agent, a workflow or a tool. */
export function definitionAt(document: OpenDocument, offset: number, cwd: string, documents: Documents): Location[] {
  const root = readOpen(document);
  if (root === null || document.path === null) return [];
  const named = stepAt(namedSteps(root), offset);
  if (named?.step != null) {
    const id = memberOf(named.step, 'id') ?? named.step;
    return [{ uri: document.uri, range: rangeOf(document.text, id.start, id.end) }];
  }
  const { key, node } = pathAt(root, offset).at(-1) ?? { key: null, node: root };
  if (typeof node.value !== 'string') return [];
  const { path } = document;
  const name = node.value;
  const found = withOverlay({ texts: documents.texts }, () => fileOf(key, name, path, cwd));
  return found === null || !('entry' in found) ? [] : [{ uri: documents.uriOf(found.entry.file), range: START }];
}

function fileOf(key: string | null, name: string, from: string, cwd: string): Resolution | null {
  const resolver = createResolver(findProject(cwd));
  switch (key) {
    case 'agent':
    case 'tasks':
    case 'toolsets':
      return resolver.agent(name, from);
    case 'workflow':
      return resolver.workflow(name, from);
    case 'tool':
    case 'tools':
      return resolver.tool(name, from);
    default:
      return null;
  }
}

function stepAt(names: NamedStep[], offset: number): NamedStep | undefined {
  return names.find(({ start, end }) => start <= offset && offset <= end);
}

/** All places that name the step at an offset. */
export function referencesAt(document: OpenDocument, offset: number): NamedStep[] {
  const root = readOpen(document);
  const names = root === null ? [] : namedSteps(root);
  const named = stepAt(names, offset);
  return named?.step == null ? [] : names.filter(({ step }) => step === named.step);
}

/** The edit by which a step has another id everywhere in its file; a sentence where it cannot have it. */
export function renameAt(document: OpenDocument, offset: number, id: string): WorkspaceEdit | string {
  const places = referencesAt(document, offset);
  const root = readOpen(document);
  if (places.length === 0 || root === null) return 'There is no id of a step here.';
  if (!ID.test(id)) return `Expected an id: letters, digits, \`_\` and \`-\`, got \`${id}\`.`;
  const isTaken = namedSteps(root).some(({ isDefinition, id: other }) => isDefinition && other === id);
  if (isTaken) return `Another step has the id \`${id}\` already.`;
  const edits = places.map(({ start, end }) => ({ range: rangeOf(document.text, start, end), newText: id }));
  return { changes: { [document.uri]: edits } };
}

/** What a model stands for and costs, or what an agent is. */
export function hoverAt(document: OpenDocument, offset: number, cwd: string, documents: Documents): Hover | null {
  const root = readOpen(document);
  const last = root === null ? undefined : pathAt(root, offset).at(-1);
  if (last === undefined || last.key !== 'model' || typeof last.node.value !== 'string') return null;
  const { config } = withOverlay({ texts: documents.texts }, () => loadConfig(findProject(cwd)));
  const model = wantedModel(last.node.value, config.models ?? {}, {});
  const own = config.models?.prices?.[model];
  const price = own ?? priceOf(model);
  const cost =
    price === null ? 'its price is not known' : `$${price.input} in, $${price.output} out, for a million tokens`;
  return { contents: { kind: 'markdown', value: `\`${model}\`: ${cost}` } };
}

/** The steps of a file, those inside of others below them. */
export function symbolsOf(document: OpenDocument): DocumentSymbol[] {
  const root = readOpen(document);
  const below = (node: ReturnType<typeof memberOf>): DocumentSymbol[] =>
    (node?.items ?? []).map((step, index) => {
      const id = memberOf(step, 'id');
      const range = rangeOf(document.text, step.start, step.end);
      const chosen = id === null ? range : rangeOf(document.text, id.start, id.end);
      const name = typeof id?.value === 'string' && id.value !== '' ? id.value : `step ${index}`;
      return { name, kind: 12, range, selectionRange: chosen, children: below(memberOf(step, 'steps')) };
    });
  return root === null ? [] : ['steps', 'finally'].flatMap((key) => below(memberOf(root, key)));
}
