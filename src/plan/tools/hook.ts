import type { Text } from '../values/value.js';

/**
 * A command that runs before or after an agent's calls of tools, and may forbid them. It never allows what the
 * permissions do not.
 */
export interface Hook {
  when: 'before' | 'after';
  /** Names of tools: a list with `|` between, or a regular expression; `*` for all. */
  tools: string;
  /** A line for a shell. */
  command: Text;
  timeout_ms: number;
  /** Files of the project that the line names, as they were approved: their texts, by path from the project's root. */
  files?: Record<string, Text>;
}

/** When a call has hooks. */
export type HookedWhen = Hook['when'];

/** What hooks said before a call: that it may be made, that a person is asked, what the model is told, or the end. */
export type HookAnswer =
  /** Short hash of what they said that the model is told with what the call gives: a stored text. */
  | { passes: true; told?: string }
  /** Short hash of why: a stored text. */
  | { asks: string }
  /** Short hash of what the model is told in place of a result. */
  | { result: string; bytes: number }
  /** The agent does not go on. At most `STOP_CHARACTERS`. */
  | { stops: string };

export const STOP_CHARACTERS = 400;

const LISTED = /^[A-Za-z0-9_|]+$/;

/** Tells whether a hook is about a tool, by any of its names. */
export function matchesTool({ tools }: Pick<Hook, 'tools'>, names: string[]): boolean {
  if (tools === '' || tools === '*') return true;
  if (LISTED.test(tools)) return tools.split('|').some((name) => names.includes(name));
  const pattern = new RegExp(tools);
  return names.some((name) => pattern.test(name));
}

/** Tells whether a text says tools as a hook may: a list of names, or what is a regular expression. */
export function isToolPattern(tools: string): boolean {
  try {
    new RegExp(tools === '*' ? '' : tools);
    return true;
  } catch {
    return false;
  }
}
