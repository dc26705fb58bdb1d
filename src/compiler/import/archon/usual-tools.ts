/** The tools of a node that names none. */
export const USUAL_TOOLS = ['Read', 'Grep', 'Glob', 'Edit', 'Write', 'Bash', 'WebFetch'];
