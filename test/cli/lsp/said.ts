import { resolve } from 'node:path';
import type { Problem } from '../../../src/compiler/problems/problem.js';
import { sortProblems } from '../../../src/compiler/problems/problem.js';
import type { Client } from './client.js';

/** Everything that the server has told, a line a problem, as `validate` says it. */
export function toldBy(client: Client): string[] {
  return [...client.told].flatMap(([file, { diagnostics }]) =>
    diagnostics.map(({ code, severity, range, message }) =>
      JSON.stringify([
        file,
        code,
        severity === 1 ? 'error' : 'warning',
        range.start.line + 1,
        range.start.character + 1,
        range.end.character - range.start.character,
        message,
      ]),
    ),
  );
}

/** Problems as the server tells them; their files are relative to a folder. */
export function saidOf(problems: Problem[], folder: string): string[] {
  return sortProblems(problems).map(({ file, code, severity, line, column, length, message, suggestion }) =>
    JSON.stringify([
      resolve(folder, file),
      code,
      severity,
      line,
      column,
      length,
      suggestion === null ? message : `${message}\n${suggestion}`,
    ]),
  );
}
