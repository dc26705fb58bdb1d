import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hashOfTests } from '../../../../src/activities/tools/shell/test-files.js';
import { toolContext } from '../../helpers/tool-context.js';

it.each([
  ['right there', ''],
  ['after folders in folders without end', 'a/'.repeat(70)],
])('the hash of tests is another one when a test was changed that stands %s', async (_where, before) => {
  const context = await toolContext();
  await mkdir(join(context.workspace, before), { recursive: true });
  const write = (text: string): Promise<void> => writeFile(join(context.workspace, 'z.test.mjs'), text);
  await write('old');
  const old = await hashOfTests(context);
  await write('new');
  expect(await hashOfTests(context)).not.toBe(old);
});

it('the hash of tests stays where other files were changed', async () => {
  const context = await toolContext();
  await writeFile(join(context.workspace, 'a.test.mjs'), 'same');
  const before = await hashOfTests(context);
  await writeFile(join(context.workspace, 'a.mjs'), 'more');
  expect(await hashOfTests(context)).toBe(before);
});
