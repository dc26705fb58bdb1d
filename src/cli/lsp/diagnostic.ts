import type { Diagnostic } from 'vscode-languageserver/node';
import type { Problem } from '../../compiler/problems/problem.js';

/** What an editor keeps with a diagnostic, and gives back when it asks for fixes. */
export interface DiagnosticData {
  /** How to mend it, as `validate` says it. */
  suggestion: string | null;
}

/** A problem as editors show it: its first line is the problem's message, the second one says how to mend it. */
export function toDiagnostic({ code, severity, message, line, column, length, suggestion }: Problem): Diagnostic {
  const start = { line: line - 1, character: column - 1 };
  const data: DiagnosticData = { suggestion };
  return {
    range: { start, end: { line: start.line, character: start.character + length } },
    severity: severity === 'error' ? 1 : 2,
    code,
    source: 'perdure',
    message: suggestion === null ? message : `${message}\n${suggestion}`,
    data,
  };
}
