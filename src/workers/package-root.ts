import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../store/folders/package-root.js';

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
