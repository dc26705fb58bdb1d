import { join } from 'node:path';
import type { Action } from '../../../plan/tools/action.js';
import { isAgentCall } from '../../../plan/tools/permission.js';
import type { Tool } from '../../../plan/tools/tool.js';
import type { JsonObject } from '../../../plan/values/json.js';

/** A call as hooks are told of it: in the words of Claude Code, for which hooks are written. */
export interface HookedCall {
  tool: Tool;
  args: JsonObject;
  action: Action;
  /** Absolute. */
  workspace: string;
}

/** Names under which hooks may mean a call: those of Claude Code, first the one that is told, and the tool's own. */
export function hookNames({ tool, action }: Pick<HookedCall, 'tool' | 'action'>): string[] {
  return [...claudeNames(tool, action), tool.name];
}

function claudeNames({ name }: Tool, action: Action): string[] {
  if (name === 'web_search') return ['WebSearch'];
  switch (action.kind) {
    case 'command':
      return ['Bash'];
    case 'write':
      return name === 'edit_file' ? ['Edit', 'MultiEdit'] : ['Write'];
    case 'read':
      return { read_file: ['Read'], list_files: ['Glob', 'LS'], search_files: ['Grep'] }[name] ?? [];
    case 'request':
      return ['WebFetch'];
    case 'call':
      if (action.what === 'mcp') return [action.name, ...(action.also ?? [])].map((one) => `mcp__${one}`);
      return isAgentCall(action) ? ['Agent', 'Task'] : [];
    case 'make':
    case 'none':
      return [];
  }
}

/**
 * What a call is given, with what the tool of Claude Code that does the same would have: the command as a shell would
 * read it, paths from the root of the machine. `stdin`: what a program reads, where that is not among the arguments.
 */
export function hookInput({ tool, args, action, workspace }: HookedCall, stdin?: string): JsonObject {
  switch (action.kind) {
    case 'command':
      return { ...args, command: lineOf(action.argv, stdin ?? args['stdin']) };
    case 'read':
    case 'write':
      return { ...args, file_path: join(workspace, action.path), ...(tool.name === 'edit_file' ? editOf(args) : {}) };
    case 'request':
      return { ...args, url: action.url, method: action.method };
    case 'call':
      return isAgentCall(action) ? { ...args, subagent_type: action.name, prompt: args['input'] ?? '' } : args;
    case 'make':
    case 'none':
      return args;
  }
}

function editOf({ old_text: before = '', new_text: after = '', all = false }: JsonObject): JsonObject {
  return { old_string: before, new_string: after, replace_all: all };
}

function lineOf(argv: string[], stdin: unknown): string {
  const line = argv.map(quoted).join(' ');
  return typeof stdin === 'string' && stdin !== '' ? `${line} <<< ${quoted(stdin)}` : line;
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
