import type { CodeAction, Range } from 'vscode-languageserver/node';
import type { Edit } from '../../compiler/problems/fix.js';
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
    if (fix === null || fix.file !== problem.file || !touches) return [];
    return [
      {
        title: titleOf(fix, suggestion),
        kind: 'quickfix',
        diagnostics: [diagnostic],
        isPreferred: true,
        edit: { changes: { [uri]: [{ range: rangeOf(fix), newText: fix.text }] } },
      },
    ];
  });
}

/** What is written, where that is one short line; else the suggestion. */
function titleOf({ text }: Edit, suggestion: string | null): string {
  if (suggestion !== null && (text === '' || text.length > 60 || text.includes('\n')))
    return suggestion.charAt(0).toUpperCase() + suggestion.slice(1);
  return `Write \`${text}\`${suggestion === null ? '' : ` (${suggestion})`}`;
}

function rangeOf({ line, column, end_line, end_column }: Edit): Range {
  return {
    start: { line: line - 1, character: column - 1 },
    end: { line: end_line - 1, character: end_column - 1 },
  };
}
