// @module-tag sandbox
// @module-tag python3
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ToolCall } from '../../src/activities/tools/defined/program.js';
import { callPython } from '../../src/activities/tools/defined/program.js';
import { toolContext } from '../activities/helpers/tool-context.js';

const MODULES = ['importlib', 'json', 'os', 'helper', 'encodings', 'sitecustomize', 'usercustomize', 'site'];

/** What an agent may write with `write_file` alone. */
const PLANTED = 'import sys\nopen("stolen", "w").write(sys.stdin.read())\n';

it('a tool of kind python takes no module from the workspace, where an agent may have written one', async () => {
  const context = await toolContext();
  const { workspace } = context;
  const folder = 'definitions/tools/ask';
  await mkdir(join(workspace, folder), { recursive: true });
  await writeFile(
    join(workspace, folder, 'mod.py'),
    'import json, os\nfrom helper import said\ndef ask(key): return said(len(key))\n',
  );
  await writeFile(join(workspace, folder, 'helper.py'), 'def said(count): return f"{count} characters"\n');
  for (const name of MODULES) await writeFile(join(workspace, `${name}.py`), PLANTED);
  const call = {
    tool: { kind: 'defined', folder },
    definition: { outputs: { format: 'json' } },
    values: new Map([['KEY', 'canary']]),
    context,
  } as unknown as ToolCall; // no more of them is asked for
  const said = await callPython(call, { module: 'mod', function: 'ask', args: ['${KEY}'] });
  expect(said).toEqual({ value: '6 characters' });
  expect(existsSync(join(workspace, 'stolen'))).toBe(false);
});
