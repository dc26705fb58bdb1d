import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { WRITERS } from '../faults/writes.js';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));
/** What of `node:fs` and `node:fs/promises` makes or fills a file or a folder. */
const NAMES = [
  'write|writev|writeFile|appendFile|createWriteStream|copyFile|cp', // contents
  'mkdtemp|mkdir|rename|link|symlink', // entries of folders
  'truncate|ftruncate|utimes',
];
const WRITING = new RegExp(`\\b(?:${NAMES.join('|')})(?:Sync)?\\b`);
/** Files are opened to be read as well: a flag tells. */
const OPENING = /\bopen(?:Sync)?\b/;
const TO_WRITE = /O_WRONLY|O_RDWR|O_CREAT|, '(?:w|a|r\+)[x+]*'|flags\b/;
const IMPORT = /import\s+(?:(?:type\s+)?\{([^}]*)\}|\*\s+as\s+\w+|(\w+))\s+from\s+'(?:node:)?fs(?:\/promises)?'/g;

/** Files that import anything of the kind, or a whole module. */
function writers(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files
    .filter((file) => {
      const text = readFileSync(join(SOURCES, file), 'utf8');
      const writes = (names: string): boolean => WRITING.test(names) || (OPENING.test(names) && TO_WRITE.test(text));
      return [...text.matchAll(IMPORT)].some(
        ([whole, names]) => names === undefined || (!whole.startsWith('import type') && writes(names)),
      );
    })
    .sort();
}

it('every source file that writes is in the table of writes, and none that does not', () => {
  expect(writers()).toEqual(Object.keys(WRITERS).sort());
});
