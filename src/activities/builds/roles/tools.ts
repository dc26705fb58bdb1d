/** Tools that only read the workspace. */
export const READING = ['read_file', 'list_files', 'search_files'] as const;

/** Tools of those who change the workspace, and run its tests. */
export const WRITING = [...READING, 'write_file', 'edit_file', 'shell'] as const;

/** Commands that show a reviewer what was changed, and write nothing. */
export const LOOKING = [
  'git status',
  'git log',
  'git diff',
  'git show',
  'git blame',
  'ls',
  'cat',
  'grep',
  'wc',
  'diff',
].map((words) => `shell(${words} *)`);
