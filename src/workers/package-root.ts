import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package, whether its code runs from `src/` or from `dist/`. */
export function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && nameIn(manifest) === 'perdure') return folder;
  }
  throw new Error('Expected to run from inside the package `perdure`, whose package.json was not found');
}

/** Which build this is: a hash of its inputs, or null where it was not built by `scripts/build.mjs`. */
export function buildId(): string | null {
  try {
    const { inputs } = JSON.parse(readFileSync(join(packageRoot(), 'dist', 'build.json'), 'utf8')) as {
      inputs?: string;
    }; // written by our build
    return inputs ?? null;
  } catch {
    return null;
  }
}

/** The version of this package. */
export function packageVersion(): string {
  // npm's format
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version;
}

function nameIn(manifest: string): unknown {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown }).name; // npm's format
}
