const TOLD_LINES = 12;

/**
 * The lines that an author needs of what a compiler said: those with file, line and `error`, of Python's traceback the
 * last place, else all of it from its end.
 */
export function compilerErrors(said: string): string {
  const lines = said
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  const errors = lines.filter((line) => /^[^\s:][^:]*:\d+(?::\d+)?: (?:fatal )?error: /.test(line));
  if (errors.length > 0) return errors.slice(0, TOLD_LINES).join('\n');
  const python = [...said.matchAll(/File "([^"]+)", line (\d+)/g)].at(-1);
  const last = lines.at(-1) ?? '';
  if (python !== undefined) return `${python[1] ?? ''}:${python[2] ?? ''}: ${last}`;
  const undefinedNames = lines.filter((line) => line.includes('undefined reference'));
  return (undefinedNames.length > 0 ? undefinedNames.slice(0, TOLD_LINES) : lines.slice(-TOLD_LINES)).join('\n');
}
