import { expect, it } from 'vitest';
import { formatPaths } from '../../../src/cli/submit/format-files.js';
import { packageRoot } from '../../../src/compiler/text/disk.js';

it('ships definitions in canonical form', () => {
  const { files, changed, problems } = formatPaths(['definitions'], packageRoot(), { write: false });
  expect({ changed, problems }).toEqual({ changed: [], problems: [] });
  expect(files).toBeGreaterThan(50);
});
