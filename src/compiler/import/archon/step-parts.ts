import type { Json, JsonObject } from '../../../plan/values/json.js';
import { memberOf, placesIn } from '../../text/node.js';
import type { Node } from '../../text/node.js';
import type { GraphNode } from './graph.js';
import type { Site } from './references.js';
import type { Scope, Translation } from './translation.js';
import type { Entry } from './when.js';
import { entryOf } from './when.js';

/** A node on its way into steps. */
export interface Task {
  node: GraphNode;
  scope: Scope;
  translation: Translation;
  entry: Entry;
}

/** Tries of agents in Archon end when nothing happens for half an hour; here the whole try has a limit. */
const AGENT_MS = 3_600_000;
const PROGRAM_MS = 120_000;

/** Where the text under a key of a node stands; `path` leads to it. */
export function siteOf({ node, scope, translation }: Omit<Task, 'entry'>, path: string[], at: Node = node.at): Site {
  const holder = path.reduce<Node | null>((holder, key) => holder && memberOf(holder, key), at) ?? at;
  return {
    translation,
    scope,
    node,
    placeOf: typeof holder.value === 'string' ? placesIn(holder) : () => holder,
  };
}

/** The node with its entry; null when its condition has faults. */
export function taskOf(node: GraphNode, scope: Scope, translation: Translation): Task | null {
  const entry = entryOf(node, siteOf({ node, scope, translation }, ['when']));
  return entry && { node, scope, translation, entry };
}

/** What every step of a node says, before and after what it does. */
export function stepWith({ node, entry }: Pick<Task, 'node' | 'entry'>, does: JsonObject): JsonObject {
  return { id: node.step, ...does, ...orderOf(entry) };
}

/** When a step runs, as its keys say it. */
export function orderOf({ needs, after, when }: Entry): JsonObject {
  return {
    ...(needs === undefined ? {} : { needs }),
    ...(after === undefined ? {} : { after }),
    ...(when === undefined ? {} : { when }),
  };
}

/** Two conditions as one; either may be missing. */
export function bothOf(when: string | undefined, condition: string): string {
  const inner = when === undefined ? null : when.slice(2, -1);
  const wrap = (text: string): string => (text.includes('||') ? `(${text})` : text);
  return inner === null ? `\${${condition}}` : `\${${wrap(inner)} && ${wrap(condition)}}`;
}

/** How often, and how long, a try of a node may be. */
export function limitsOf({ node: { said, kind } }: Pick<Task, 'node'>): JsonObject {
  const { retry, idle_timeout = 0, timeout = PROGRAM_MS } = said;
  const isProgram = kind === 'bash' || kind === 'script';
  const tries: Json =
    retry === undefined ? null : { attempts: retry.max_attempts + 1, backoff: durationOf(retry.delay_ms ?? 3_000) };
  return {
    ...(tries === null || kind === 'loop' ? {} : { retry: tries }),
    timeout: durationOf(isProgram ? timeout : Math.max(AGENT_MS, idle_timeout)),
  };
}

/** Milliseconds as a duration is written. */
export function durationOf(milliseconds: number): string {
  const whole = Math.max(1, Math.round(milliseconds));
  if (whole % 60_000 === 0) return `${whole / 60_000}m`;
  return whole % 1_000 === 0 ? `${whole / 1_000}s` : `${whole}ms`;
}
