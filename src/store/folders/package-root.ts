import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTextNow } from '../read-regular.js';

/** The folder of this package, whether its code runs from `src/` or from `dist/`. */
export function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && nameIn(manifest) === 'perdure') return folder;
  }
  throw new Error('Expected to run from inside the package `perdure`, whose package.json was not found');
}

function nameIn(manifest: string): unknown {
  return (JSON.parse(readTextNow(manifest)) as { name?: unknown }).name; // npm's format
}
