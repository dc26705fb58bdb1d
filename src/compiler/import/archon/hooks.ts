import type { Json } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import { namedTools } from '../../agents/tool-names.js';
import type { Node } from '../../text/node.js';
import { memberOf } from '../../text/node.js';
import { USUAL_TOOLS } from './usual-tools.js';

/** What the hooks of a node come to. They are answers that are written out, and no commands. */
export interface ArchonHooks {
  /** Tools whose calls they always deny. */
  denied: string[];
  /** Hooks that hold a call back otherwise, with what they do. */
  refused: { at: Node; what: string; suggestion: string }[];
  /** Hooks that tell an agent something, or look at the end of it. */
  lost: Node[];
}

/** Reads the hooks of a node. */
export function hooksOf(node: Node): ArchonHooks {
  const found: ArchonHooks = { denied: [], refused: [], lost: [] };
  for (const [event, { node: list }] of memberOf(node, 'hooks')?.members ?? [])
    for (const hook of list.items ?? [list]) sort(event, hook, found);
  return found;
}

function sort(event: string, at: Node, { denied, refused, lost }: ArchonHooks): void {
  const response = memberOf(at, 'response')?.value ?? null;
  const held = event === 'PreToolUse' ? holdsBack(response) : null;
  if (held === null) lost.push(at);
  else if (held !== 'denies')
    refused.push({ at, what: held, suggestion: 'say what is asked about under `permissions`' });
  else {
    const tools = toolsOf(memberOf(at, 'matcher')?.value ?? null);
    if (tools === null)
      refused.push({ at, what: 'denies calls by a pattern', suggestion: 'name the tools: `matcher: "Write|Edit"`' });
    else denied.push(...tools);
  }
}

/** How an answer keeps a call from being made as it is; null where it does not. */
function holdsBack(response: Json): string | null {
  if (!isObject(response)) return null;
  const own = isObject(response.hookSpecificOutput) ? response.hookSpecificOutput : {};
  if (own.permissionDecision === 'deny' || response.decision === 'block') return 'denies';
  if (response.continue === false) return 'ends the node';
  if (own.permissionDecision === 'ask' || response.decision === 'ask') return 'asks a person';
  return own.updatedInput === undefined ? null : 'changes what is asked for';
}

/** The tools that a matcher names; null for a pattern. */
function toolsOf(matcher: Json): string[] | null {
  if (matcher === null || matcher === '' || matcher === '*' || matcher === '.*') return USUAL_TOOLS;
  if (typeof matcher !== 'string') return null;
  const names = matcher.split('|').map((name) => name.trim());
  return names.every((name) => /^\w+$/.test(name) && namedTools(name) !== null) ? names : null;
}
