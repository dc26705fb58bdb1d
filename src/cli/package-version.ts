import { readFileSync } from 'node:fs';

/** The version in the package's own `package.json`, two folders above `dist/cli/`. */
export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }; // our own file
  return version;
}
