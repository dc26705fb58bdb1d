import type { DocumentSymbol, Location, WorkspaceEdit } from 'vscode-languageserver/node';
import { isAt } from '../../compiler/problems/source.js';
import type { Node } from '../../compiler/text/node.js';
import { memberOf } from '../../compiler/text/node.js';
import { ID } from '../../plan/names.js';
import type { Asking } from './asking.js';
import type { OpenDocument } from './documents.js';
import { rangeIn, rangeOf } from './documents.js';
import { flowNameAt, isCaptured } from './flow-names.js';
import { placeOfName } from './named-files.js';
import { parameterAt } from './parameters.js';
import type { NamedStep } from './read-document.js';
import { namedSteps, pathAt } from './read-document.js';
import { meaningOf, referenceAt } from './types.js';

/** Where what stands at an offset is defined: a step, a parameter, or the file of an agent, a workflow or a tool. */
export function definitionAt(asking: Asking): Location[] {
  const { document, offset, read } = asking;
  const { path, uri, text } = document;
  const parameter = parameterAt(asking);
  if (parameter !== null) return [{ uri, range: parameter.range }];
  if (path?.endsWith('.flow') === true) return inFlow(asking);
  const root = read(text);
  if (root === null) return [];
  const named = stepAt(namedSteps(root), offset);
  if (named?.step != null) return [{ uri, range: rangeIn(memberOf(named.step, 'id') ?? named.step) }];
  const { key, node } = pathAt(root, offset).at(-1) ?? { key: null, node: root };
  if (typeof node.value !== 'string') return [];
  const written = referenceAt(node, offset);
  const meaning = written && meaningOf(root, written);
  if (meaning !== null) return [{ uri, range: rangeIn(meaning.at) }];
  return placeOfName({ key, name: node.value }, asking);
}

/** What stands at an offset of a flow: a capture, a label, an agent of its own, or one of a file. */
function inFlow(asking: Asking): Location[] {
  const { uri, text } = asking.document;
  const [place] = flowNameAt(text, asking.offset)?.places ?? [];
  if (place !== undefined) return [{ uri, range: rangeOf(text, place.start, place.end) }];
  const name = wordAt(text, asking.offset);
  return name === '' ? [] : placeOfName({ key: 'agent', name }, asking);
}

/** The word of a flow that an offset is in. */
export function wordAt(text: string, offset: number): string {
  const start = text.slice(0, offset).search(/[\w-]*$/);
  return /^[\w-]+/.exec(text.slice(start))?.[0] ?? '';
}

function stepAt(names: NamedStep[], offset: number): NamedStep | undefined {
  return names.find(({ at }) => isAt(at, offset));
}

/** All places that name the step at an offset. */
export function referencesAt({ document, offset, read }: Asking): NamedStep[] {
  const root = read(document.text);
  return root === null ? [] : referencesIn(namedSteps(root), offset);
}

function referencesIn(names: NamedStep[], offset: number): NamedStep[] {
  const named = stepAt(names, offset);
  return named?.step == null ? [] : names.filter(({ step }) => step === named.step);
}

/** The edit by which a step has another id everywhere in its file; a sentence where it cannot have it. */
export function renameAt({ document, offset, read }: Asking, id: string): WorkspaceEdit | string {
  if (document.path?.endsWith('.flow') === true) return renameInFlow(document, offset, id);
  const root = read(document.text);
  const names = root === null ? [] : namedSteps(root);
  const places = referencesIn(names, offset);
  if (places.length === 0) return 'There is no id of a step here.';
  if (!ID.test(id)) return `Expected an id: letters, digits, \`_\` and \`-\`, got \`${id}\`.`;
  const isTaken = names.some(({ isDefinition, id: other }) => isDefinition && other === id);
  if (isTaken) return `Another step has the id \`${id}\` already.`;
  return { changes: { [document.uri]: places.map(({ at }) => ({ range: rangeIn(at), newText: id })) } };
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
export function symbolsOf(root: Node | null): DocumentSymbol[] {
  const below = (node: ReturnType<typeof memberOf>): DocumentSymbol[] =>
    (node?.items ?? []).map((step, index) => {
      const id = memberOf(step, 'id');
      const range = rangeIn(step);
      const chosen = id === null ? range : rangeIn(id);
      const name = typeof id?.value === 'string' && id.value !== '' ? id.value : `step ${index}`;
      return { name, kind: 12, range, selectionRange: chosen, children: below(memberOf(step, 'steps')) };
    });
  return root === null ? [] : ['steps', 'finally'].flatMap((key) => below(memberOf(root, key)));
}
