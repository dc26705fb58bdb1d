import type { Agent } from '../../plan/step.js';

/** What a program may do, beyond reading below the folder that it works in. */
export interface Access {
  edit: boolean;
  /** Patterns of commands as the agent names them (`git *`); `*` is any, an empty list none. */
  commands: string[];
  web: boolean;
}

/** Names of tools in the words of the programs and in ours. */
const EDIT = new Set(['write', 'edit', 'multiedit', 'notebookedit', 'write_file', 'edit_file', 'replace', 'apply_patch', 'filesystem_cwd', 'filesystem_project']);
const RUN = new Set(['bash', 'shell', 'run_shell_command', 'shell_file_ops']);
const WEB = new Set(['websearch', 'webfetch', 'web_search', 'web_fetch', 'google_web_search', 'http_request']);

/** What an agent's tools allow a program that plays it: without any, it reads (seed 003's `restricted`). */
export function accessOf({ tools, toolsets = [], uses = [] }: Pick<Agent, 'tools' | 'toolsets' | 'uses'>): Access {
  const access: Access = { edit: false, commands: [], web: false };
  const provided = uses.filter(({ kind }) => kind === 'provider').map(({ name }) => name);
  for (const tool of [...tools, ...toolsets, ...provided]) {
    const [, name = '', pattern = '*'] = /^([^(]*)(?:\((.*)\))?$/s.exec(tool.trim()) ?? [];
    const word = name.trim().toLowerCase();
    if (word === '*' || EDIT.has(word)) access.edit = true;
    if (word === '*' || RUN.has(word)) access.commands.push(word === '*' ? '*' : pattern.replace(/:\*$/, ' *'));
    if (word === '*' || WEB.has(word)) access.web = true;
  }
  return access;
}

/** Whether it may run any command. */
export function runsAnything({ commands }: Access): boolean {
  return commands.includes('*');
}
