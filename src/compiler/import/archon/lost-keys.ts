import { keyOf, memberOf } from '../../text/node.js';
import type { GraphNode } from './graph.js';
import { hooksOf } from './hooks.js';
import type { NodeKind } from './schema.js';
import type { Translation } from './translation.js';
import { ownOf } from '../../../plan/values/own.js';

/** Keys of a model, at a node as for a whole workflow: why they are lost, and whether that changes what happens. */
export const OF_MODELS: Record<string, [why: string, changes: boolean]> = {
  thinking: ['how deep a model thinks is its own choice here', true],
  fallbackModel: ['a model that fails is tried again; there is no other in its place', true],
  betas: ['beta features of the provider are not asked for', false],
  sandbox: ['commands of agents always run in a sandbox; `permissions` say what they reach', true],
};

/** Keys of nodes that a model plays, why they are not carried over, and whether that changes what happens. */
const OF_AGENTS: Record<string, [why: string, changes: boolean]> = {
  pi: ['it is for a program that is not used here', false],
  ...OF_MODELS,
  settingSources: ['files of settings are not read', true],
  maxBudgetUsd: ['limits of money hold for a whole run: `budgets: {max_cost_usd: …}`', true],
  persist_session: ['each run begins anew; `perdure run --session` goes on with one', true],
};

const ELSEWHERE = [
  'provider',
  'model',
  'context',
  'output_format',
  'allowed_tools',
  'denied_tools',
  'systemPrompt',
  'agents',
  'effort',
  'skills',
  'mcp',
];
const PLAYED: ReadonlySet<NodeKind> = new Set<NodeKind>(['command', 'prompt', 'loop']);
const RETRIED: ReadonlySet<NodeKind> = new Set<NodeKind>(['command', 'prompt', 'bash', 'script']);
const OTHERS: Record<string, [why: string, changes: boolean]> = {
  always_run: ['a rerun takes over what is proven; `--from` runs a step anew', false],
};
/** What Archon itself reads past at a loop. */
const NOT_IN_LOOPS = ['hooks', 'mcp', 'skills', 'allowed_tools', 'denied_tools', 'context', 'agents', 'systemPrompt'];

/** Takes down which keys of a node are not carried over. */
export function nameLost(node: GraphNode, translation: Translation & { texts: string[] }): void {
  for (const key of Object.keys(OF_AGENTS)) nameKey(key, node, translation);
  nameHooks(node, translation);
  for (const key of ELSEWHERE) if (isPassedOver(key, node)) nameKey(key, node, translation);
  nameKey('always_run', node, translation);
  if (!RETRIED.has(node.kind)) nameKey('retry', node, translation);
  nameType(node, translation);
}

function nameKey(key: string, { id, kind, at }: GraphNode, { losses }: Translation): void {
  if (memberOf(at, key) === null) return;
  const passedOver = [`Archon reads past it at a \`${kind}\` node too`, false] as const;
  const isRead = PLAYED.has(kind) && !(kind === 'loop' && NOT_IN_LOOPS.includes(key));
  const own = key === 'always_run' ? OTHERS : isRead ? OF_AGENTS : {};
  const [why, changes] = ownOf(own, key) ?? passedOver;
  (changes ? losses.changed : losses.harmless)(`${id}.${key}`, keyOf(at, key), why);
}

/** Hooks that only deny are carried over; those that hold a call back otherwise are refused. */
function nameHooks(node: GraphNode, translation: Translation): void {
  if (!PLAYED.has(node.kind) || node.kind === 'loop') return nameKey('hooks', node, translation);
  const { losses, report } = translation;
  const { denied, refused, lost } = hooksOf(node.at);
  const key = `${node.id}.hooks`;
  for (const { at, what, suggestion } of refused)
    report({ code: 'unsupported-key', at, message: `A hook that ${what} is not carried over.`, suggestion });
  if (denied.length > 0)
    losses.harmless(key, keyOf(node.at, 'hooks'), 'what they deny its agent does not have; the reason is not told');
  for (const at of lost) losses.changed(key, at, 'nothing is told to an agent around a call, or at its end');
}

/** Keys that are carried over elsewhere, and that Archon reads past at such a node. */
function isPassedOver(key: string, { kind }: GraphNode): boolean {
  if (kind === 'loop') return NOT_IN_LOOPS.includes(key);
  if (kind === 'loop_group') return !['model', 'provider'].includes(key);
  return !PLAYED.has(kind) && !(kind === 'workflow' && key === 'output_format');
}

/** A type has Archon write a file, which something may read. */
function nameType({ id, said, at }: GraphNode, { losses, texts }: Translation & { texts: string[] }): void {
  if (said.output_type === undefined) return;
  const isRead = texts.some((text) => text.includes(`nodes/${id}.`));
  const why = 'outputs are kept with their run (`perdure show`); no file is written';
  (isRead ? losses.changed : losses.harmless)(`${id}.output_type`, keyOf(at, 'output_type'), why);
}
