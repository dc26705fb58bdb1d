import { shortWords } from '../../plan/text/short-words.js';
import { safeText } from '../../plan/text/safe-text.js';
import type { Problem } from './problem.js';
import { MOST_TOLD, untold } from './problem.js';
import { createSource, lineOf } from './source.js';

export interface PrintOptions {
  /** How many files were looked at. */
  files: number;
  color: boolean;
  /** Told to a model, which is told of some at most. */
  forModel?: boolean;
}

/** Columns of a source line that are shown; beyond, the part around the caret. */
const SHOWN_COLUMNS = 100;

/**
 * Problems as people read them: `file:line:column  code  message`, the line, a caret, the fix; a count at the end.
 * `sources` are the texts by file; without one the line is left out.
 */
export function printProblems(
  problems: Problem[],
  sources: Map<string, string>,
  { files, color, forModel = false }: PrintOptions,
): string {
  const paint = createPaint(color);
  const lines = new Map<string, number[]>();
  const blocks = (forModel ? problems.slice(0, MOST_TOLD) : problems).map((problem) => {
    const text = sources.get(problem.file);
    const head = headOf(problem, paint);
    if (text === undefined) return [head, ...hintBelow(problem)].join('\n');
    let starts = lines.get(problem.file);
    if (starts === undefined) lines.set(problem.file, (starts = createSource('', problem.file, text).lines));
    return [head, ...excerpt(problem, lineOf(text, starts, problem.line), paint)].join('\n');
  });
  if (forModel) blocks.push(...untold(problems.length));
  return [...blocks, ...(blocks.length > 0 ? [''] : []), summary(problems, files), ''].join('\n');
}

type Paint = Record<'red' | 'yellow' | 'dim' | 'bold', (text: string) => string>;

function createPaint(color: boolean): Paint {
  const wrap = (open: number, close: number) => (text: string) => (color ? `\x1b[${open}m${text}\x1b[${close}m` : text);
  return { red: wrap(31, 39), yellow: wrap(33, 39), dim: wrap(2, 22), bold: wrap(1, 22) };
}

/** Told with `Error: ` before them, as Glee tells them: people and scripts look for that. */
const AS_ERRORS: ReadonlySet<string> = new Set(['workflow-cycle', 'workflow-depth']);

function headOf({ file, line, column, code, severity, message }: Problem, paint: Paint): string {
  const word = severity === 'warning' ? `${paint.yellow(code)} (warning)` : paint.red(code);
  const said = `${AS_ERRORS.has(code) ? 'Error: ' : ''}${message}`;
  return `${paint.bold(visible(shortWords(`${file}:${line}:${column}`)))}  ${word}  ${visible(shortWords(said))}`;
}

function hintBelow({ suggestion }: Problem): string[] {
  return suggestion === null ? [] : [`     ${visible(suggestion)}`];
}

function excerpt({ line, column, length, severity, suggestion }: Problem, text: string, paint: Paint): string[] {
  const from =
    column + length <= SHOWN_COLUMNS ? 0 : Math.max(0, Math.min(column - 1, column - 1 + length - SHOWN_COLUMNS));
  const shown = text.slice(from, from + SHOWN_COLUMNS);
  const before = shown.slice(0, column - 1 - from);
  const number = String(line).padStart(4);
  const gap = ' '.repeat(widthOf(before));
  const caret = '^'.repeat(Math.max(1, widthOf(shown.slice(column - 1 - from, column - 1 - from + length))));
  const mark = severity === 'warning' ? paint.yellow(caret) : paint.red(caret);
  const hint = suggestion === null ? '' : ` ${visible(suggestion)}`;
  return [`${paint.dim(number)} | ${visible(shown)}`, `${' '.repeat(number.length)} | ${gap}${mark}${hint}`];
}

/** Columns that a text takes as it is printed. */
function widthOf(text: string): number {
  return [...visible(text)].length;
}

function summary(problems: Problem[], files: number): string {
  if (problems.length === 0) return `No problems in ${plural(files, 'file')}`;
  const touched = new Set(problems.map(({ file }) => file)).size;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const kinds =
    errors === problems.length
      ? plural(errors, 'problem')
      : errors === 0
        ? plural(problems.length, 'warning')
        : `${plural(errors, 'problem')} and ${plural(problems.length - errors, 'warning')}`;
  return `${kinds} in ${touched} of ${plural(Math.max(files, touched), 'file')}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A tab takes one column, as problems count them; a message of several lines is one. */
function visible(text: string): string {
  return safeText(text.replaceAll('\t', ' ')).replaceAll('\n', '\\u{a}');
}
