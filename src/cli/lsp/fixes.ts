import type { CodeAction, Range } from 'vscode-languageserver/node';
import type { Problem } from '../../compiler/problems/problem.js';
import { toDiagnostic } from './diagnostic.js';

/** The fixes that can be followed literally, of problems that touch a range of a file. */
export function fixesIn(problems: Problem[], { start, end }: Range, uri: string): CodeAction[] {
  return problems.flatMap((problem) => {
    const { fix, suggestion } = problem;
    const diagnostic = toDiagnostic(problem);
    const { range } = diagnostic;
    const touches =
      range.start.line <= end.line &&
      range.end.line >= start.line &&
      (range.start.line < end.line || range.start.character <= end.character) &&
      (range.end.line > start.line || range.end.character >= start.character);
    if (fix === null || !touches) return [];
    return [
      {
        title: `Write \`${fix}\` (${suggestion ?? ''})`,
        kind: 'quickfix',
        diagnostics: [diagnostic],
        isPreferred: true,
        edit: { changes: { [uri]: [{ range, newText: fix }] } },
      },
    ];
  });
}
