import type { ProgramName } from './program.js';
import type { Agent } from '../step.js';

/** What a program may do, beyond reading below the folder that it works in. */
export interface Access {
  edit: boolean;
  /** Patterns of commands as the agent names them (`git *`); `*` is any, an empty list none. */
  commands: string[];
  web: boolean;
  /**
   * Tools, and patterns of commands, that it does not get in any case: in Claude Code's words, as only that holds each.
   * Absent for none.
   */
  denied?: string[];
}

/** Tools of programs by class, in the words of Claude Code. */
const READ = ['Read', 'Glob', 'Grep'];
const EDIT = ['Write', 'Edit', 'NotebookEdit'];
const WEB = ['WebSearch', 'WebFetch'];

/** Tools of a program by the names that other programs, our tools and toolsets give them, in any case. */
const WORDS: Record<string, string[]> = {
  '*': [...READ, ...EDIT, 'Bash', ...WEB],
  read: ['Read'],
  read_file: ['Read'],
  read_many_files: ['Read'],
  glob: ['Glob'],
  list_files: ['Glob'],
  list_directory: ['Glob'],
  ls: ['Glob'],
  grep: ['Grep'],
  search_files: ['Grep'],
  search_file_content: ['Grep'],
  grep_search: ['Grep'],
  write: ['Write'],
  write_file: ['Write'],
  edit: ['Edit'],
  multiedit: ['Edit'],
  edit_file: ['Edit'],
  replace: ['Edit'],
  apply_patch: ['Edit'],
  notebookedit: ['NotebookEdit'],
  bash: ['Bash'],
  shell: ['Bash'],
  run_shell_command: ['Bash'],
  shell_file_ops: ['Bash'],
  websearch: ['WebSearch'],
  web_search: ['WebSearch'],
  google_web_search: ['WebSearch'],
  webfetch: ['WebFetch'],
  web_fetch: ['WebFetch'],
  http_request: ['WebFetch'],
  filesystem_cwd: [...READ, ...EDIT],
  filesystem_project: [...READ, ...EDIT],
};

/** Tools of programs that plan or talk, and without which an agent does the same. */
export const NEEDLESS: readonly string[] = [
  'TodoWrite',
  'TodoRead',
  'TaskCreate',
  'TaskUpdate',
  'TaskList',
  'TaskGet',
  'ExitPlanMode',
  'EnterPlanMode',
  'BashOutput',
  'KillShell',
  'KillBash',
  'Skill',
  'SlashCommand',
  'AskUserQuestion',
  'save_memory',
  'write_todos',
];

/** What an agent says of its tools. */
type Tooled = Pick<Agent, 'tools' | 'toolsets' | 'uses' | 'disallowed'>;

interface Named {
  words: string[];
  /** What commands it is about; null for any. */
  pattern: string | null;
}

/** What an agent's tools allow a program that plays it: without any, it reads (access `restricted`). */
export function accessOf(agent: Tooled): Access {
  const { words, commands } = granted(agent);
  const denied = (agent.disallowed ?? [])
    .map(named)
    .flatMap(({ words: all, pattern }) => (pattern === null ? all : all.map((word) => `${word}(${pattern})`)));
  return {
    edit: hasAny(words, EDIT),
    commands,
    web: hasAny(words, WEB),
    ...(denied.length === 0 ? {} : { denied: [...new Set(denied)] }),
  };
}

/** Tells whether an access lets its program run any command. */
export function runsAnything({ commands }: Access): boolean {
  return commands.includes('*');
}

/** The tools that a program has no word for, of those that an agent names. */
export function lackingTools(names: string[]): string[] {
  return names.filter((name) => named(name).words.length === 0 && !NEEDLESS.includes(bare(name)));
}

/** Tools of an agent's own that no program has: those that ask agents, make things, or are of servers and files. */
export function ownTools({ uses = [] }: Pick<Agent, 'uses'>): string[] {
  return uses.filter(({ kind }) => kind !== 'builtin' && kind !== 'provider').map(({ name }) => name);
}

/** What an agent does not get and a program would have all the same; null where it can be held to it. */
export function unheld(program: ProgramName, agent: Tooled): string | null {
  // Claude Code takes each tool and each pattern by itself.
  if (program === 'claude') return null;
  const { words, commands } = granted(agent);
  for (const name of agent.disallowed ?? []) if (isUnheld(program, named(name), words, commands)) return name;
  return null;
}

function isUnheld(
  program: 'codex' | 'gemini',
  { words: denied, pattern }: Named,
  words: Set<string>,
  commands: string[],
): boolean {
  if (hasAny(new Set(denied), READ)) return true;
  // Codex does all its work by commands in its sandbox, which takes writing from all of them or from none.
  if (program === 'codex' && denied.includes('Bash')) return true;
  if (pattern !== null) return commands.length > 0;
  const isPartly = (kinds: string[]): boolean => hasAny(new Set(denied), kinds) && hasAny(words, kinds);
  return (
    isPartly(EDIT) || isPartly(WEB) || (program === 'codex' && hasAny(new Set(denied), EDIT) && commands.length > 0)
  );
}

/** What is named and not taken away: tools in Claude Code's words, and patterns of commands. */
function granted({ tools, toolsets = [], uses = [], disallowed = [] }: Tooled): {
  words: Set<string>;
  commands: string[];
} {
  const provided = uses.filter(({ kind }) => kind === 'provider').map(({ name }) => name);
  const without = new Set(disallowed.map(named).flatMap(({ words, pattern }) => (pattern === null ? words : [])));
  const all = [...tools, ...toolsets, ...provided]
    .map(named)
    .map(({ words, pattern }) => ({ words: words.filter((word) => !without.has(word)), pattern }));
  return {
    words: new Set(all.flatMap(({ words }) => words)),
    commands: all.flatMap(({ words, pattern }) => (words.includes('Bash') ? [pattern ?? '*'] : [])),
  };
}

function named(tool: string): Named {
  const word = bare(tool).toLowerCase();
  const pattern = /\((.*)\)$/s.exec(tool.trim())?.[1];
  return {
    words: Object.hasOwn(WORDS, word) ? (WORDS[word] ?? []) : [],
    pattern: pattern === undefined || pattern === '*' ? null : pattern.replace(/:\*$/, ' *'),
  };
}

function bare(tool: string): string {
  return /^[^(]*/.exec(tool.trim())?.[0].trim() ?? '';
}

function hasAny(words: ReadonlySet<string>, kinds: string[]): boolean {
  return kinds.some((kind) => words.has(kind));
}
