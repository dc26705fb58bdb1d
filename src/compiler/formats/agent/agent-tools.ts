/**
 * A list of tools as people write it: `Read, Grep` and `[Read, Grep]` are the same, and `Bash(git a, git b)` is one.
 */
export function splitTools(tools: string | string[] | null | undefined): string[] {
  const list = typeof tools === 'string' ? tools.split(/,(?![^(]*\))/) : (tools ?? []);
  return list.map((tool) => tool.trim()).filter((tool) => tool !== '');
}
