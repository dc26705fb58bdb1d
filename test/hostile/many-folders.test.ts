// @module-tag sandbox
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../src/store/local-store.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

it("another project's state is out of reach however many folders an agent has made beside it", async () => {
  const context = await toolContext();
  const { workspace } = context;
  await openStore(join(workspace, 'other', '.perdure'));
  await writeFile(join(workspace, 'other', '.perdure', 'approval.key'), 'canary');
  for (let number = 0; number < 1_500; number += 1) await mkdir(join(workspace, `a${number}`));
  const looked = await callTool(
    { kind: 'builtin', name: 'shell' },
    { argv: ['grep', '-rs', 'canary', 'other'] },
    context,
  );
  expect(looked).toMatchObject({ content: { exit_code: 1, stdout: '' } });
});
