import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatFile, hasCanonicalForm } from '../../compiler/fmt/format-file.js';
import type { Problem } from '../../compiler/problems/problem.js';
import { kindOf } from '../../compiler/text/disk.js';
import { definitionsAt, isForDefinitions } from '../../compiler/validate.js';
import { writeWhole } from '../write-whole.js';

/** What `fmt` found, and did. */
export interface FormattedFiles {
  /** How many files were looked at. */
  files: number;
  /** Files that were not in canonical form, as people name them; none where they were to be written, and were not. */
  changed: string[];
  problems: Problem[];
  sources: Map<string, string>;
}

/**
 * Puts files into their canonical form. Of folders, those files are taken that have one; a file that is named must have
 * one. A file with problems stays as it is, and so do all others then.
 */
export function formatPaths(paths: string[], cwd: string, { write }: { write: boolean }): FormattedFiles {
  const named = paths.map((path) => resolve(cwd, path));
  const files = [
    ...new Set(
      named.flatMap((path) =>
        kindOf(path) === 'folder'
          ? definitionsAt(path).filter(
              (file) => kindOf(file) === 'folder' || (hasCanonicalForm(file) && !isForDefinitions(file)),
            )
          : [path],
      ),
    ),
  ];
  const formatted = files.map((file) => ({ file, ...formatFile(file, cwd) }));
  const problems = formatted.flatMap((one) => one.problems);
  const other = formatted.filter(({ same, text }) => text !== null && !same);
  const changed = write && problems.length > 0 ? [] : other;
  if (write)
    for (const { file, text } of changed) writeWhole(file, text ?? '', { replace: true, mode: statSync(file).mode });
  return {
    files: files.length,
    changed: changed.map(({ source }) => source.file),
    problems,
    sources: new Map(
      formatted.flatMap(({ source }) => (source.text === '' ? [] : [[source.file, source.text] as const])),
    ),
  };
}
