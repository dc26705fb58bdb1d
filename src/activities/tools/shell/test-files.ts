import { createHash, randomUUID } from 'node:crypto';
import { readIn } from '../../workspace/read.js';
import type { Found } from '../files/walk.js';
import { walk } from '../files/walk.js';
import { isTestSetup, testSetup } from './test-setup.js';
import type { ToolContext } from '../handler/handler.js';

/** Files that are tests by their folder or their name, as runners look for them. */
const TESTS = new RegExp(
  [
    String.raw`(?:^|\/)(?:tests?|__tests__|specs?)\/`,
    String.raw`[._-](?:tests?|spec)\.[a-z]+$`,
    String.raw`(?:^|\/)(?:tests?|specs?|test[._-][^/]+)\.(?:[cm]?[jt]sx?|py|rb|php|sh|lua)$`,
    String.raw`(?:^|\/)conftest\.py$`,
    String.raw`(?:^|\/)__(?:snapshots|mocks|fixtures)__\/`,
  ].join('|'),
  'i',
);

/** Of a workspace, to find its tests. */
const MOST_ENTRIES = 1_000_000;

/**
 * SHA-256 over the test files of a workspace, with their paths, and over what sets up how they are run: it is another
 * one when a test, or its command, was changed, and each time where more stands there than is looked at. `onState` is
 * told of state folders, in which no test is seen.
 */
export async function hashOfTests(
  { workspace, permissions, signal }: ToolContext,
  onState?: (path: string) => void,
): Promise<string> {
  const hash = createHash('sha256');
  const whole = await walk(
    { workspace, permissions, signal },
    '.',
    { below: true, most: MOST_ENTRIES, ...(onState === undefined ? {} : { onState }) },
    async (found) => {
      const text = found.kind === 'file' ? await textOf(found) : null;
      if (text !== null) hash.update(`${JSON.stringify([found.path, text])}\n`);
      return 'go on';
    },
  );
  if (!whole) hash.update(randomUUID());
  return hash.digest('hex');
}

async function textOf({ folder, name, path }: Found): Promise<string | null> {
  const isTest = isTestFile(path);
  if (!isTest && !isTestSetup(path)) return null;
  const text = await readIn(folder, name, path).then(
    (file) => file.text,
    () => 'unreadable',
  );
  return isTest ? text : testSetup(path, text);
}

/** Tells whether a file is a test, by its folder or its name. */
export function isTestFile(path: string): boolean {
  return TESTS.test(path);
}
