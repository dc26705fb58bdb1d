import type { Range } from 'vscode-languageserver/node';
import { readFlow } from '../../compiler/formats/flow/document.js';
import { createSource } from '../../compiler/problems/source.js';
import type { Place } from '../../compiler/problems/source.js';
import { memberOf } from '../../compiler/text/node.js';
import type { Node } from '../../compiler/text/node.js';
import type { Asking } from './asking.js';
import { rangeIn } from './documents.js';
import { pathAt } from './read-document.js';

/** What a `{{parameter}}` means. */
export interface Parameter {
  /** Where it is declared, or written by a step. */
  range: Range;
  about: string;
}

/** The parameter of a flow, or the variable of a chain, that stands at an offset in `{{…}}`; null for any other. */
export function parameterAt({ document: { path, text }, offset, read }: Asking): Parameter | null {
  const found = [...text.matchAll(/\{\{[ \t]*([A-Za-z_][\w-]*)[ \t]*(?::[^{}]*)?\}\}/g)].find(
    ({ index, 0: { length } }) => index <= offset && offset <= index + length,
  );
  const name = found?.[1];
  if (name === undefined || path === null) return null;
  if (path.endsWith('.flow')) return ofFlow(name, path, text);
  const root = read(text);
  return root === null ? null : ofChain(name, root, offset);
}

/** A parameter as the front matter of a flow declares it. */
function ofFlow(name: string, path: string, text: string): Parameter | null {
  const flow = readFlow(createSource(path, path, text), () => undefined);
  const declared = flow?.authored.params?.get(name);
  if (declared === undefined) return null;
  const fallback = declared.default === null ? '' : `; \`${declared.default}\` where a run says nothing`;
  return { range: rangeIn(declared.at), about: `\`{{${name}}}\`: ${declared.description ?? 'a parameter'}${fallback}` };
}

/** A variable of a chain, where the last step before the one at an offset writes it. */
function ofChain(name: string, root: Node, offset: number): Parameter | null {
  const steps = memberOf(root, 'steps')?.items ?? [];
  const numberOf = (step: Node): number => Number(memberOf(step, 'step')?.value);
  const around = new Set(pathAt(root, offset).map(({ node }) => node));
  const own = steps.find((step) => around.has(step));
  if (own === undefined) return null;
  let found: { at: Place; type: string; step: number } | null = null;
  for (const step of steps) {
    const output = memberOf(step, 'outputs')?.members?.get(name);
    const number = numberOf(step);
    if (output === undefined || !(number < numberOf(own)) || number < (found?.step ?? -Infinity)) continue;
    found = { at: output.key, type: String(output.node.value), step: number };
  }
  return found && { range: rangeIn(found.at), about: `\`{{${name}}}\`: ${found.type}, written by step ${found.step}` };
}
