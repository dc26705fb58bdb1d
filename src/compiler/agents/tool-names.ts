import { NEEDLESS } from '../../plan/agents/program-access.js';
import { BUILTIN_TOOLS, MAKERS, runsPrograms } from '../../plan/tools/tool.js';
import type { BuiltinTool, Maker } from '../../plan/tools/tool.js';
import { ownOf } from '../../plan/values/own.js';

/** What a name of a tool means here: built-in tools, makers, or that it is nothing that an agent can lack. */
export interface NamedTools {
  builtin: readonly BuiltinTool[];
  makers: readonly Maker[];
  /** Commands to which the shell is held: those that begin with these words, or those of a class. */
  commands: { words: string } | { classes: readonly ('safe' | 'workspace')[]; also?: readonly string[] } | null;
}

const READING = ['read_file', 'list_files', 'search_files'] as const;
const FILES = [...READING, 'write_file', 'edit_file'] as const;
export const FILE_COMMANDS = ['mkdir', 'rmdir', 'touch', 'cp', 'mv', 'rm', 'ln', 'chmod'] as const;

/** Names of Claude Code's and Gemini CLI's tools. */
const FOREIGN: Record<string, readonly BuiltinTool[]> = {
  Read: ['read_file'],
  Write: ['write_file'],
  Edit: ['edit_file'],
  MultiEdit: ['edit_file'],
  NotebookEdit: ['edit_file'],
  Grep: ['search_files'],
  Glob: ['list_files'],
  LS: ['list_files'],
  Bash: ['shell'],
  WebFetch: ['http_request'],
  WebSearch: ['web_search'],
  read_many_files: ['read_file'],
  replace: ['edit_file'],
  glob: ['list_files'],
  list_directory: ['list_files'],
  ls: ['list_files'],
  search_file_content: ['search_files'],
  grep_search: ['search_files'],
  run_shell_command: ['shell'],
  web_fetch: ['http_request'],
  google_web_search: ['web_search'],
  glee_memory_search: ['memory_search'],
  mcp__glee__glee_memory_search: ['memory_search'],
};

/** Sets of tools that `.agent` files may name. */
const TOOLSETS: Record<string, Partial<Toolset>> = {
  filesystem_cwd: { builtin: FILES },
  filesystem_cwd_ro: { builtin: READING },
  filesystem_project: { builtin: FILES, from: 'home' },
  filesystem_project_ro: { builtin: READING, from: 'home' },
  shell_readonly: { builtin: ['shell'], commands: { classes: ['safe'], also: ['uniq'] } },
  shell_file_ops: { builtin: ['shell'], commands: { classes: ['safe'], also: FILE_COMMANDS } },
  dynamic_agents: { makers: ['agent_create', 'agent_call'] },
};

/** A set of tools, and where it works: in the manifest's folder, or where the person is who starts the run. */
export interface Toolset extends NamedTools {
  from: 'home' | 'cwd';
}

const NOTHING: NamedTools = { builtin: [], makers: [], commands: null };

export const TOOLSET_NAMES: readonly string[] = Object.keys(TOOLSETS);

/** Every name that means something; what `didYouMean` looks through. */
export const TOOL_NAMES: readonly string[] = [...BUILTIN_TOOLS, ...MAKERS, ...Object.keys(FOREIGN)];

/** What a name in `tools:` means; null for names that are looked up elsewhere (tools, agents, servers). */
export function namedTools(name: string): NamedTools | null {
  const [, tool = name, inside] = /^([A-Za-z_]+)\(([^()]*)\)$/.exec(name) ?? [];
  if (name === '*') return { ...NOTHING, builtin: [...FILES, 'shell'] };
  if (NEEDLESS.includes(tool)) return NOTHING;
  const builtin = BUILTIN_TOOLS.find((one) => one === tool);
  const named = builtin !== undefined ? [builtin] : ownOf(FOREIGN, tool);
  if (named !== undefined)
    return {
      ...NOTHING,
      builtin: named,
      commands: inside === undefined || !named.some(runsPrograms) ? null : heldTo(inside),
    };
  const maker = MAKERS.find((one) => one === tool);
  return maker === undefined ? null : { ...NOTHING, makers: [maker] };
}

/** What a toolset holds; null when there is none of that name. */
export function toolsetTools(name: string): Toolset | null {
  return Object.hasOwn(TOOLSETS, name) ? { ...NOTHING, from: 'cwd', ...TOOLSETS[name] } : null;
}

/** `git *`, `git:*` and `npm run test:*`: commands that begin so. `*` alone holds to nothing. */
function heldTo(pattern: string): NamedTools['commands'] {
  const words = pattern
    .replace(/:\*$/, '')
    .replace(/\s*\*$/, '')
    .trim();
  return words === '' ? null : { words };
}
