import { isToolPattern } from '../../../plan/tools/hook.js';
import type { Json, JsonObject } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import type { NamedLoss, Reading } from './agent-dialect.js';
import type { AuthoredHook } from './hooks.js';
import { ownOf } from '../../../plan/values/own.js';

const EVENTS: Record<string, 'before' | 'after'> = { PreToolUse: 'before', PostToolUse: 'after' };
/** What a handler may say here. */
const CARRIED = new Set(['type', 'command', 'timeout', 'statusMessage']);
const PLACES = /(?:^|[\s"'=])(?:~\/|\$HOME\b|\$\{HOME\}|\$\{?CLAUDE_PLUGIN_ROOT\b)/;

/**
 * Hooks of an agent of Claude Code: those that are commands around calls of tools; each of the others is lost by its
 * name.
 */
export function readHooks(value: Json): Reading {
  if (!isObject(value)) return { losses: [lossOf('hooks', 'it is no map from events to hooks')] };
  const hooks: AuthoredHook[] = [];
  const losses: NamedLoss[] = [];
  for (const [event, groups] of Object.entries(value)) {
    const when = ownOf(EVENTS, event);
    if (when === undefined) {
      losses.push(lossOf(`hooks.${event}`, 'there are hooks before and after calls of tools only'));
      continue;
    }
    for (const group of listOf(groups)) {
      const read = readGroup(`hooks.${event}`, when, group);
      hooks.push(...read.hooks);
      losses.push(...read.losses);
    }
  }
  // The schema of agents checks them once more.
  return { ...(hooks.length === 0 ? {} : { fields: { hooks: hooks as unknown as Json } }), losses };
}

interface Group {
  hooks: AuthoredHook[];
  losses: NamedLoss[];
}

function readGroup(field: string, when: 'before' | 'after', group: Json): Group {
  if (!isObject(group)) return { hooks: [], losses: [lossOf(field, 'it is no map with `matcher` and `hooks`')] };
  const { matcher = '*' } = group;
  const tools = typeof matcher === 'string' && matcher.trim() === '' ? '*' : matcher;
  if (typeof tools !== 'string' || !isToolPattern(tools))
    return { hooks: [], losses: [lossOf(field, `\`${JSON.stringify(matcher)}\` matches no names of tools`)] };
  const read = listOf(group['hooks'] ?? null).map((handler) => readHandler(handler, when, tools));
  return {
    hooks: read.flatMap((one) => ('hook' in one ? [one.hook] : [])),
    losses: read.flatMap((one) => ('reason' in one ? [lossOf(field, one.reason)] : [])),
  };
}

function readHandler(
  handler: Json,
  when: 'before' | 'after',
  tools: string,
): { hook: AuthoredHook } | { reason: string } {
  if (!isObject(handler)) return { reason: 'it is no map with `type` and `command`' };
  const { type = null, command = null, timeout } = handler;
  if (type !== 'command') return { reason: `\`type: ${String(type)}\`: hooks are commands only` };
  if (typeof command !== 'string') return { reason: 'it has no `command`' };
  const other = Object.keys(handler).find((key) => !CARRIED.has(key) && isSaid(handler, key));
  if (other !== undefined) return { reason: `\`${command}\`: \`${other}\` has no meaning here` };
  if (PLACES.test(command))
    return { reason: `\`${command}\`: it is not in this project, and the sandbox shows no more` };
  const seconds = typeof timeout === 'number' && timeout > 0 ? { timeout_s: Math.min(600, Math.ceil(timeout)) } : {};
  return { hook: { [when]: tools, command, ...seconds } };
}

/** `async: false` says what holds anyway. */
function isSaid(handler: JsonObject, key: string): boolean {
  return handler[key] !== false && handler[key] !== null;
}

function lossOf(field: string, lost: string): NamedLoss {
  return {
    field,
    lost,
    changes: true,
    fix: 'say what is denied under `permissions:`, or make a step of what runs beside the agent',
  };
}

function listOf(value: Json): Json[] {
  return Array.isArray(value) ? value : value === null ? [] : [value];
}
