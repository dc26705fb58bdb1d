import { extname } from 'node:path';
import { formatYaml } from './format-yaml.js';
import { readFlow } from '../formats/flow/document.js';
import { printFlow } from '../formats/flow/print.js';
import type { Problem, Report } from '../problems/problem.js';
import { createReport, hasErrors, sortProblems } from '../problems/problem.js';
import { readText } from '../text/disk.js';
import type { Source } from '../problems/source.js';
import { createSource, displayName } from '../problems/source.js';

/** A file in canonical form. */
export interface Formatted {
  /** What it should hold; null when it has problems, or is of a format that has no canonical form. */
  text: string | null;
  /** True where the file holds its canonical form already. */
  same: boolean;
  problems: Problem[];
  source: Source;
}

type Formatter = (source: Source, report: Report) => string | null;

/** The formats that have a canonical form, by extension. */
const FORMATTERS: Record<string, Formatter> = { '.flow': formatFlow, '.yml': formatYaml, '.yaml': formatYaml };

/** Tells whether files of this name have a canonical form. */
export function hasCanonicalForm(file: string): boolean {
  return Object.hasOwn(FORMATTERS, extname(file));
}

/**
 * The canonical form of one file, by its format. Syntax is all that is looked at: what names mean is for `validate`.
 */
export function formatFile(absolute: string, cwd: string): Formatted {
  const { problems, report } = createReport();
  const content = readText(absolute);
  const source = createSource(absolute, displayName(cwd, absolute), 'text' in content ? content.text : '');
  const formatter = FORMATTERS[extname(absolute)];
  const at = { source, path: '', start: 0, end: 1 };
  let text: string | null = null;
  if ('failure' in content) report({ code: 'unreadable-file', at, message: content.failure });
  else if (formatter === undefined)
    report({
      code: 'unsupported-format',
      at,
      message: `Expected a file with a canonical form (${Object.keys(FORMATTERS).join(', ')}), got \`${source.file}\`.`,
    });
  else text = formatter(source, report);
  const sound = hasErrors(problems) ? null : text;
  return { text: sound, same: sound === source.text, problems: sortProblems(problems), source };
}

/** Front matter stays as it is; the flow below it, or in its `workflow:`, is printed anew. */
function formatFlow(source: Source, report: Report): string | null {
  const read = readFlow(source, report);
  if (read === null || read.authored.broken) return null;
  const { tree, body } = read.authored;
  const printed = printFlow(tree);
  if (body.embedded === null) {
    const head = source.text.slice(0, body.start).trim();
    const note = source.text.slice(body.end);
    return `${head === '' ? '' : `${head}\n\n`}${printed}${note === '' ? '' : `\n${note}`}`;
  }
  // The note behind it would be lost.
  if (tree.note !== null) return source.text;
  const { start, end, style } = body.embedded;
  const inside = printed
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');
  const rest = source.text.slice(end);
  return `${source.text.slice(0, start)}|\n${inside}\n${style === 'block' ? rest : rest.replace(/^[^\n]*\n?/, '')}`;
}
