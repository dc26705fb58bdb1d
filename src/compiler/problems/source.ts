import { basename, relative } from 'node:path';

/** An authored text with the name people know it by. */
export interface Source {
  /** Relative to the folder the command ran in, with forward slashes. */
  file: string;
  /** Absolute path; it never enters a Plan. */
  absolute: string;
  text: string;
  /** Offset of each line's first character. */
  lines: number[];
  /** Where the text stands in its file, when it is a part of it: one of its steps, while the file is being written. */
  part?: Part;
}

/** A part of a file that is moved when something is written above it; it begins where a line does. */
export interface Part {
  /** How many lines stand above it, and how many UTF-16 units. */
  line: number;
  start: number;
  /** Which item of `steps` it is; null for what is around them. */
  item: number | null;
}

/** What stands for the number of its item in the paths of a part. */
export const PART_PATH = 'steps[]';

/** A path of a part as it is in the whole file. */
export function pathIn({ part }: Source, path: string): string {
  if (part === undefined || part.item === null || !path.startsWith(PART_PATH)) return path;
  return `steps[${part.item}]${path.slice(PART_PATH.length)}`;
}

export function createSource(absolute: string, file: string, text: string): Source {
  const lines = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
  return { absolute, file, text, lines };
}

/** As it is shown to people: relative to their folder, with forward slashes. */
export function displayName(cwd: string, absolute: string): string {
  return relative(cwd, absolute).replaceAll('\\', '/') || basename(absolute);
}

/** The file's name up to its first dot. */
export function stemOf(file: string): string {
  return basename(file).split('.')[0] ?? '';
}

/** Line and column from 1, and how many characters stand from there to the line's end. */
export function positionAt(
  { text, lines, part }: Source,
  offset: number,
): { line: number; column: number; rest: number } {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const start = lines[low] ?? 0;
  return { line: (part?.line ?? 0) + low + 1, column: offset - start + 1, rest: lineEnd(text, start) - offset };
}

/** A line's text without its end, by its number from 1. */
export function lineOf(text: string, lines: number[], line: number): string {
  const start = lines[line - 1] ?? text.length;
  return text.slice(start, lineEnd(text, start));
}

function lineEnd(text: string, start: number): number {
  const newline = text.indexOf('\n', start);
  const end = newline === -1 ? text.length : newline;
  return text[end - 1] === '\r' && end > start ? end - 1 : end;
}

/** Tells whether an offset of a file is in a place of it, or at its end. */
export function isAt({ source: { part }, start, end }: Place, offset: number): boolean {
  const at = offset - (part?.start ?? 0);
  return start <= at && at <= end;
}

/** A stretch of a source text, and what it is in the document. Offsets count UTF-16 units from 0. */
export interface Place {
  source: Source;
  path: string;
  start: number;
  end: number;
}

/** Tells whether a file's name is that of a test of the definition beside it: `report.test.yml` for `report.yml`. */
export function isTestFile(file: string): boolean {
  return /[^/\\]\.test\.ya?ml$/.test(file);
}

/** Tells whether a file's name is that of a test of a flow: `fix.flow.test`. */
export function isFlowTest(file: string): boolean {
  return /[^/\\]\.flow\.test$/.test(file);
}
