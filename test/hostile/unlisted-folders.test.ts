import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { guardWorkspace } from '../../src/activities/tools/shell/misleading.js';
import { toolContext } from '../activities/helpers/tool-context.js';

const NOBODY = 65534;

it.each([0o311, 0o100])('nothing starts as `perdure` in a folder that nobody lists: %o', async (mode) => {
  const context = await toolContext();
  const { workspace } = context;
  const folder = join(workspace, 'packages');
  const places = [dirname(workspace), workspace, context.store.folder ?? ''];
  for (const path of places) chmodSync(path, 0o777);
  // Root may do everything: as somebody else we are what hosts usually are.
  process.seteuid?.(NOBODY);
  try {
    const guard = await guardWorkspace(workspace, { fixed: [] }, context);
    mkdirSync(join(folder, 'a', 'node_modules', '.bin'), { recursive: true });
    writeFileSync(join(folder, 'a', 'node_modules', '.bin', 'perdure'), 'evil');
    chmodSync(join(folder, 'a'), mode);
    chmodSync(folder, mode);
    expect(await guard()).toEqual(['`packages/a/node_modules/.bin/perdure`']);
  } finally {
    process.seteuid?.(0);
  }
  expect(existsSync(join(folder, 'a', 'node_modules', '.bin', 'perdure'))).toBe(false);
});
