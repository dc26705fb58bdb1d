import { compileIn, createProject } from './temporary-project.js';

type Told = { message: string; suggestion: string | null };

/**
 * The problems of one file in a project of its own: places and codes, messages alone, or messages with their fixes.
 * Warnings too.
 */
export function problemsIn(file: string, text: string): string[];
export function problemsIn(file: string, text: string, as: 'message'): string[];
export function problemsIn(file: string, text: string, as: 'told'): Told[];
export function problemsIn(file: string, text: string, as: 'place' | 'message' | 'told' = 'place'): (string | Told)[] {
  const { problems } = compileIn(createProject({ [file]: text }), file);
  return problems.map(({ line, column, code, message, suggestion }) =>
    as === 'place' ? `${line}:${column} ${code}` : as === 'message' ? message : { message, suggestion },
  );
}
