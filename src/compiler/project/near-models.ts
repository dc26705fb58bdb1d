import { SHORT_NAMES } from '../../plan/agents/model-names.js';
import { definedAgents } from '../formats/flow/ast.js';
import { literalText } from '../formats/flow/instruction.js';
import type { Definition } from '../load.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { Place, Report } from '../problems/problem.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';

/** Keys whose value is the name of a model, in every format. */
const MODEL_KEYS = new Set(['model', 'degrade']);
/** Keys below which a `model` is data. */
const DATA_KEYS = new Set([
  'inputs',
  'params',
  'args',
  'input',
  'output',
  'outputs',
  'schema',
  'set',
  'env',
  'rehearsal',
]);
/** So many levels down a definition names models: steps in bodies of steps, agents in lists. */
const MAX_DEPTH = 16;

/** Warns of models in a definition that are nearly a short name, ours or one of `aliases`; they stay as they are. */
export function warnOfNearModels(definition: Definition, aliases: string[], report: Report): void {
  warnOf(modelsIn(definition), aliases, report);
}

/** Warns of models in a project's settings that are nearly a short name: its default, and what its aliases mean. */
export function warnOfNearSettings(settings: Node, report: Report): void {
  const models = memberOf(settings, 'models');
  const aliases = [...((models && memberOf(models, 'aliases')?.members) ?? [])];
  const preset = models && memberOf(models, 'default');
  const named = [...(preset ? [preset] : []), ...aliases.map(([, { node }]) => node)];
  warnOf(
    named.flatMap((at) => (typeof at.value === 'string' ? [{ name: at.value, at }] : [])),
    aliases.map(([name]) => name),
    report,
  );
}

function warnOf(models: NamedModel[], aliases: string[], report: Report): void {
  const short = [...SHORT_NAMES, ...aliases];
  for (const { name, at } of models) {
    const [, provider = '', plain] = /^(anthropic:)?([A-Za-z][A-Za-z-]{2,11})$/.exec(name) ?? [];
    const known = provider === '' ? short : SHORT_NAMES.map((one) => provider + one);
    if (plain === undefined || known.includes(name)) continue;
    const suggestion = didYouMean(name, known);
    if (suggestion === null) continue;
    report({
      code: 'near-model',
      severity: 'warning',
      at,
      message: `\`${name}\` is no short name of a model: it is asked for as it is written.`,
      suggestion,
    });
  }
}

interface NamedModel {
  name: string;
  at: Place;
}

function modelsIn(definition: Definition): NamedModel[] {
  if (definition.format !== 'flow') return [...modelsBelow(definition.node, 0)];
  return definedAgents(definition.authored.tree).flatMap(({ entries }) =>
    entries.flatMap(({ key, value }) =>
      key.text !== 'model' || Array.isArray(value) ? [] : [{ name: literalText(value.raw), at: value.at }],
    ),
  );
}

/** Items so near to the top are steps: while a file is being written, most of them stay the same nodes. */
const FEW_LEVELS = 2;
const inItems = new WeakMap<Node, NamedModel[]>();

function modelsInItem(item: Node, depth: number): NamedModel[] {
  let known = inItems.get(item);
  if (known === undefined) inItems.set(item, (known = [...modelsBelow(item, depth)]));
  return known;
}

function* modelsBelow(node: Node, depth: number): Generator<NamedModel> {
  if (depth > MAX_DEPTH) return;
  for (const item of node.items ?? [])
    yield* depth < FEW_LEVELS ? modelsInItem(item, depth + 1) : modelsBelow(item, depth + 1);
  for (const [key, { node: value }] of node.members ?? []) {
    if (MODEL_KEYS.has(key) && typeof value.value === 'string') yield { name: value.value, at: value };
    else if (!DATA_KEYS.has(key)) yield* modelsBelow(value, depth + 1);
  }
}
