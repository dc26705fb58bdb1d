import { basename, dirname } from 'node:path';
import type { z } from 'zod';
import { check } from './check.js';
import { nearest, meansPerhaps } from '../problems/did-you-mean.js';
import type { Report } from '../problems/problem.js';
import { kindOf, listFolder, readText } from './disk.js';
import type { Source } from '../problems/source.js';
import { createSource, displayName, stemOf } from '../problems/source.js';
import { parseYaml } from './yaml.js';

/** A file's text under the name that people know it by; null when it cannot be read, which is reported. */
export function readSource(absolute: string, cwd: string, report: Report): Source | null {
  const content = readText(absolute);
  const source = createSource(absolute, displayName(cwd, absolute), 'text' in content ? content.text : '');
  if ('text' in content) return source;
  report({
    code: 'unreadable-file',
    at: { source, path: '', start: 0, end: 1 },
    message: content.failure,
    suggestion: kindOf(absolute) === 'missing' ? neighbour(absolute) : null,
  });
  return null;
}

/** A file beside one that is not there, of nearly that name, whatever its extension. */
export function neighbour(absolute: string): string | null {
  const wanted = stemOf(absolute);
  const files = listFolder(dirname(absolute))
    .filter(({ name, kind }) => kind === 'file' && stemOf(name) !== '')
    .map(({ name }) => name);
  const same = files.filter((name) => stemOf(name) === wanted);
  const likely = same.length > 0 ? same : files.filter((name) => isNear(wanted, stemOf(name)));
  const near = nearest(basename(absolute), likely) ?? likely[0];
  return near === undefined ? null : meansPerhaps(near);
}

/** Tells whether one stem is a slip of the other. One or two letters are a slip of any others. */
function isNear(wanted: string, stem: string): boolean {
  return wanted.length > 2 && stem.length > 2 && nearest(wanted, [stem]) !== null;
}

interface Reading {
  cwd: string;
  report: Report;
  /** Gets the text, for showing problems. */
  sources?: Map<string, string> | undefined;
}

/** A YAML file of settings as its schema types it; null when it has problems, which are reported. */
export function readSettings<T>(schema: z.ZodType<T>, absolute: string, { cwd, report, sources }: Reading): T | null {
  const source = readSource(absolute, cwd, report);
  if (source === null) return null;
  sources?.set(source.file, source.text);
  const node = parseYaml({ source, start: 0, end: source.text.length }, report);
  return node && check(schema, node, { report });
}
