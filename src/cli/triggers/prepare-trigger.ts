import { TOLD } from '../../activities/runs/told-context.js';
import { mayChangeWorkspace } from '../../plan/calls/reuse.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { PreparedRun } from '../../plan/triggers/start.js';
import type { Template } from '../../plan/values/expression.js';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import type { Store } from '../../store/store.js';
import type { Session } from '../session.js';
import { settle, storeTexts } from '../submit/prepare.js';
import type { ServerAttributes } from '../submit/start-run.js';
import type { Terminal } from '../terminal.js';
import type { TriggeredDefinition } from './triggered-definitions.js';

/** Settles what the runs of a trigger are started with. Nothing is stored yet. */
export async function prepareTrigger(
  { compiled }: TriggeredDefinition,
  inputs: Record<string, Template>,
  session: Session,
  { by, attributes, terminal }: { by: string; attributes: ServerAttributes; terminal: Terminal },
): Promise<PreparedRun> {
  const { config, elsewhere } = session;
  const { plan, texts, file, files, kept } = compiled;
  const choices = { rehearse: false, by, gates: 'fallback' as const, limits: NO_BUDGETS, definition: file, texts };
  const settled = await settle(plan, choices, session, terminal);
  return {
    definition: plan.name,
    plan: plan.hash,
    inputs,
    // Nobody submits it: the same definition is the same trigger, wherever it is synced from. Each run has a trace of
    // its own.
    settings: {
      ...settled,
      caller: settled.workspace,
      ...attributes,
      asks_until_deadline: true,
      ...(settled.trace === undefined ? {} : { trace: { id: '' } }),
    },
    files,
    ...(kept.length === 0 ? {} : { kept }),
    snapshot:
      config.workspace?.snapshots !== false &&
      plan.workspace === undefined &&
      elsewhere === null &&
      mayChangeWorkspace(plan),
    memories: config.memory?.inject ?? TOLD.memories,
  };
}

/** Puts the Plan, its texts and what runs are started with into the store. */
export async function storePrepared(
  prepared: PreparedRun,
  definition: TriggeredDefinition,
  store: Store,
): Promise<Hash> {
  await storeTexts(definition.compiled, store);
  return (await store.putAlways(jsonOf(prepared))).ref;
}

/** Hash of what runs are started with, whoever synced it, and whatever is protected on the machine that did. */
export function settledHash(prepared: PreparedRun): Hash {
  const { kept: _kept, ...same } = prepared;
  return sha256(canonicalJson(jsonOf({ ...same, settings: { ...same.settings, submitted_by: '' } })));
}

/** Hash of what a definition says: of one of its triggers, by its key, and its Plan. */
export function sourceHash(
  { compiled: { plan, triggers } }: TriggeredDefinition,
  trigger: 'schedule' | 'follow',
): Hash {
  return sha256(canonicalJson(jsonOf({ plan: plan.hash, [trigger]: triggers[trigger] })));
}

function jsonOf(value: object): Json {
  // Plans, settings and triggers are JSON-safe.
  return JSON.parse(JSON.stringify(value)) as Json;
}
