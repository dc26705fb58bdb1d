import type { AuthoredChainStep, AuthoredModel } from '../formats/chain.js';
import type { ChainDefinition } from '../load.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf, startOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';

/** Fields of a request that are not the definition's to set. */
const RESERVED_PARAMS = new Set(['model', 'messages', 'system', 'stream', 'tools', 'options']);

/** Reports models of one name, and parameters that would change what is asked. */
export function checkChainModels({ node }: Pick<ChainDefinition, 'node'>, report: Report): void {
  const seen = new Set<string>();
  for (const model of memberOf(node, 'models')?.items ?? []) {
    const name = memberOf(model, 'name');
    if (typeof name?.value === 'string') {
      if (seen.has(name.value))
        report({
          code: 'duplicate-name',
          at: name,
          message: `There is a model \`${name.value}\` already.`,
          suggestion: 'give each its own name',
        });
      seen.add(name.value);
    }
    checkParams(model, report);
  }
  for (const step of memberOf(node, 'steps')?.items ?? []) {
    const inline = memberOf(step, 'model');
    if (inline !== null) checkParams(inline, report);
  }
}

function checkParams(model: Node, report: Report): void {
  const params = memberOf(model, 'params');
  for (const name of params?.members?.keys() ?? []) {
    if (params === null || !RESERVED_PARAMS.has(name)) continue;
    report({
      code: 'reserved-name',
      at: keyOf(params, name),
      message: `\`${name}\` is no setting of a model: what is asked follows from the chain.`,
    });
  }
}

/**
 * The model of a step, by name or in place; null when there is none, which is reported in the words of docs/chains.md.
 */
export function modelOf(
  { step, modelRef, model }: AuthoredChainStep,
  node: Node,
  { authored, node: root }: Pick<ChainDefinition, 'authored' | 'node'>,
  report: Report,
): AuthoredModel | null {
  if (modelRef !== undefined && model !== undefined) {
    report({
      code: 'conflicting-keys',
      at: keyOf(node, 'model'),
      message: `Chain step ${step} has both \`modelRef\` and \`model\`.`,
      suggestion: 'keep one of them',
    });
    return null;
  }
  if (model !== undefined) return model;
  const names = namesOf(root);
  if (modelRef === undefined) {
    const known = names.length === 0 ? '' : `: \`modelRef\` may be ${names.map((name) => `\`${name}\``).join(', ')}`;
    report({
      code: 'missing-key',
      at: startOf(node),
      message: `Chain step ${step} missing model or modelRef for LLM step${known}.`,
    });
    return null;
  }
  const found = authored.models.find(({ name }) => name === modelRef);
  if (found !== undefined) return found;
  // A model with faults of its own is known by its name all the same.
  const models = memberOf(root, 'models');
  if (!names.includes(modelRef) && (models === null || models.items !== null)) {
    const at = memberOf(node, 'modelRef') ?? node;
    const there =
      names.length === 0 ? 'the chain has no `models`' : `there are ${names.map((name) => `\`${name}\``).join(', ')}`;
    report({
      code: 'unknown-model',
      at,
      message: `Chain step ${step} references unknown modelRef '${modelRef}'.`,
      suggestion: didYouMean(modelRef, names) ?? there,
    });
  }
  return null;
}

function namesOf(root: Node): string[] {
  return (memberOf(root, 'models')?.items ?? []).flatMap((model) => {
    const name = memberOf(model, 'name')?.value;
    return typeof name === 'string' ? [name] : [];
  });
}
