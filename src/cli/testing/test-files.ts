import type { Stats } from 'node:fs';
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isFlowTest, isTestFile } from '../../compiler/problems/source.js';
import { usageError } from '../exit-codes.js';

const EXTENSION = /\.ya?ml$/;
const SKIPPED = new Set(['node_modules', '.git', '.perdure', 'dist']);
const MOST_LEVELS = 16;

const HINT = 'Record a run first: perdure record <run>';

/**
 * The tests that paths name: files, or those of folders: `*.test.yml` and `*.flow.test` in them and below; of a folder
 * that has none of these, its YAML files. Throws a usage error for what is not there, or holds none.
 */
export function testsAt(paths: string[], cwd: string): string[] {
  return paths.flatMap((path) => {
    const found = lookAt(resolve(cwd, path));
    if (found === null) throw usageError(`There is no \`${path}\`.`, HINT);
    if (!found.isDirectory()) return [path];
    const named = testsBelow(path, cwd, 0);
    const files = named.length > 0 ? named : recordingsIn(path, cwd);
    if (files.length === 0) throw usageError(`There are no recordings in \`${path}\`.`, HINT);
    return files;
  });
}

function recordingsIn(path: string, cwd: string): string[] {
  const names = readdirSync(resolve(cwd, path)).filter((name) => EXTENSION.test(name));
  return names.sort().map((name) => join(path, name));
}

function testsBelow(folder: string, cwd: string, level: number): string[] {
  if (level > MOST_LEVELS) return [];
  const entries = readdirSync(resolve(cwd, folder), { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : testsBelow(path, cwd, level + 1);
      return entry.isFile() && (isFlowTest(path) || isTestFile(path)) ? [path] : [];
    });
}

function lookAt(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null; // a part of the path is no folder, links lead round, or it is too long: it is not there either
  }
}
