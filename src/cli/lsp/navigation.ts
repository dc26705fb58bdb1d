import type { DocumentSymbol, Location, WorkspaceEdit } from 'vscode-languageserver/node';
import { findProject } from '../../compiler/project/project.js';
import { createResolver } from '../../compiler/project/resolve.js';
import type { Resolution } from '../../compiler/project/resolve.js';
import { readText, withOverlay } from '../../compiler/text/disk.js';
import { memberOf } from '../../compiler/text/node.js';
import { ID } from '../../plan/names.js';
import type { Documents, OpenDocument } from './documents.js';
import { rangeOf } from './documents.js';
import type { NamedStep } from './read-document.js';
import { flowNameAt, isCaptured } from './flow-names.js';
import { namedSteps, pathAt, readOpen } from './read-document.js';
import { meaningOf, referenceAt } from './types.js';

const START = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** Where what stands at an offset is defined: a step, or the file of an agent, a workflow or a tool. */
export function definitionAt(document: OpenDocument, offset: number, cwd: string, documents: Documents): Location[] {
  const { path, uri, text } = document;
  if (path?.endsWith('.flow') === true) return inFlow({ path, uri, text }, offset, cwd, documents);
  const root = readOpen(document);
  if (root === null || path === null) return [];
  const named = stepAt(namedSteps(root), offset);
  if (named?.step != null) {
    const id = memberOf(named.step, 'id') ?? named.step;
    return [{ uri: document.uri, range: rangeOf(document.text, id.start, id.end) }];
  }
  const { key, node } = pathAt(root, offset).at(-1) ?? { key: null, node: root };
  if (typeof node.value !== 'string') return [];
  const written = referenceAt(node, offset);
  const meaning = written && meaningOf(root, written);
  if (meaning !== null) return [{ uri, range: rangeOf(text, meaning.at.start, meaning.at.end) }];
  return atName({ key, name: node.value, from: path }, cwd, documents);
}

/** Where the file of an agent, a workflow or a tool says its name. */
function atName(
  { key, name, from }: { key: string | null; name: string; from: string },
  cwd: string,
  documents: Documents,
): Location[] {
  return withOverlay({ texts: documents.texts }, () => {
    const found = fileOf(key, name, from, cwd);
    if (found === null || !('entry' in found)) return [];
    const { file } = found.entry;
    const content = readText(file);
    const text = 'text' in content ? content.text : '';
    const [line, before = '', written = ''] = /^([{ \t]*"?name"?[ \t]*:[ \t]*["']?)([\w-]+)/m.exec(text) ?? [];
    if (line === undefined) return [{ uri: documents.uriOf(file), range: START }];
    const start = text.indexOf(line) + before.length;
    return [{ uri: documents.uriOf(file), range: rangeOf(text, start, start + written.length) }];
  });
}

/** What stands at an offset of a flow: a capture, a label, an agent of its own, or one of a file. */
function inFlow(
  { path, uri, text }: Pick<OpenDocument, 'uri' | 'text'> & { path: string },
  offset: number,
  cwd: string,
  documents: Documents,
): Location[] {
  const [place] = flowNameAt(text, offset)?.places ?? [];
  if (place !== undefined) return [{ uri, range: rangeOf(text, place.start, place.end) }];
  const start = text.slice(0, offset).search(/[\w-]*$/);
  const [name = ''] = /^[\w-]+/.exec(text.slice(start)) ?? [];
  return name === '' ? [] : atName({ key: 'agent', name, from: path }, cwd, documents);
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
  if (document.path?.endsWith('.flow') === true) return renameInFlow(document, offset, id);
  const places = referencesAt(document, offset);
  const root = readOpen(document);
  if (places.length === 0 || root === null) return 'There is no id of a step here.';
  if (!ID.test(id)) return `Expected an id: letters, digits, \`_\` and \`-\`, got \`${id}\`.`;
  const isTaken = namedSteps(root).some(({ isDefinition, id: other }) => isDefinition && other === id);
  if (isTaken) return `Another step has the id \`${id}\` already.`;
  const edits = places.map(({ start, end }) => ({ range: rangeOf(document.text, start, end), newText: id }));
  return { changes: { [document.uri]: edits } };
}

/** The edit by which a capture of a flow has another name. */
function renameInFlow({ text, uri }: OpenDocument, offset: number, name: string): WorkspaceEdit | string {
  const found = flowNameAt(text, offset);
  if (found?.kind !== 'capture') return 'There is no capture here.';
  if (!/^[A-Za-z_]\w*$/.test(name)) return `Expected a name: letters, digits and \`_\`, got \`${name}\`.`;
  if (isCaptured(text, name)) return `Another capture has the name \`${name}\` already.`;
  return {
    changes: { [uri]: found.places.map(({ start, end }) => ({ range: rangeOf(text, start, end), newText: name })) },
  };
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
