// @module-tag sandbox
// @module-tag python3
// @seconds 40
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runHook } from '../../src/activities/tools/hooks/run-hook.js';
import { findSandbox } from '../../src/activities/tools/shell/sandbox.js';
import type { Hook } from '../../src/plan/tools/hook.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

const SECRET = 'canary-5c1d7e';
const SECONDS = 6;
let context: Awaited<ReturnType<typeof toolContext>>;
let outside: string;

beforeEach(async () => {
  expect(await findSandbox()).not.toBeNull();
  context = await toolContext({}, mkdtempSync(join(tmpdir(), 'perdure-mounts-')));
  outside = join(dirname(realpathSync(context.workspace)), 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.txt'), SECRET);
});
afterEach(() => rmSync(dirname(context.workspace), { recursive: true, force: true }));

/** Exchanges a folder, which it makes where it is missing, and a link to the outside as fast as it can. */
const swapping = (folder: string): string => `
import ctypes, os, platform, time
os.symlink(${JSON.stringify(outside)}, "link")
renameat2 = {"x86_64": 316, "aarch64": 276}[platform.machine()]
call = ctypes.CDLL(None).syscall
end = time.time() + ${SECONDS}
while time.time() < end:
    try: os.makedirs("${folder}")
    except OSError: pass
    for _ in range(2000): call(renameat2, -100, b"${folder}", -100, b"link", 2)
`;

it.each([
  ['a folder that is protected and was not there', '.claude', {}],
  ['a folder that it alone may write', 'out', { writable: ['out/'] }],
  ['a folder that it alone may not write', 'src', { protected: ['/src/'] }],
  ['a folder that holds what is protected of it alone', 'in', { protected: ['/in/it/'] }],
])('shows a command nothing of outside while another exchanges %s for a link', async (_what, folder, limits) => {
  const limited = { ...context, permissions: { ...context.permissions, ...limits } };
  const shell = async (argv: string[], within = context): Promise<string> =>
    JSON.stringify(await callTool({ kind: 'builtin', name: 'shell' }, { argv }, within));
  let goesOn = true;
  const swaps = shell(['python3', '-c', swapping(folder)]).finally(() => (goesOn = false));
  const seen: string[] = [];
  while (goesOn) seen.push(await shell(['cat', `${folder}/secret.txt`, 'link/secret.txt'], limited));
  await swaps;
  expect(seen.filter((text) => text.includes(SECRET))).toEqual([]);
});

it('runs what a person approved as a hook while another command exchanges its folder', async () => {
  for (const [folder, said] of Object.entries({ checks: 'approved', other: 'not approved' })) {
    mkdirSync(join(context.workspace, folder));
    writeFileSync(join(context.workspace, folder, 'check.sh'), `echo ${said}`);
  }
  const hook: Hook = {
    when: 'before',
    tools: '*',
    command: 'for i in $(seq 200); do bash checks/check.sh; done',
    timeout_ms: 60_000,
    files: { 'checks/check.sh': 'echo approved' },
  };
  const exchange = swapping('checks').replace('b"link"', 'b"other"');
  let goesOn = true;
  const swaps = callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', exchange] }, context).finally(
    () => (goesOn = false),
  );
  const said: string[] = [];
  while (goesOn) said.push(JSON.stringify(await runHook(hook, {}, context)));
  await swaps;
  expect(said.filter((words) => words.includes('not approved'))).toEqual([]);
  // The other command has gone, and left either folder under the name.
  expect(said.length).toBeGreaterThan(0);
});

it('lets no tool replace the file of a hook that runs', async () => {
  mkdirSync(join(context.workspace, 'checks'));
  writeFileSync(join(context.workspace, 'checks/check.sh'), 'echo approved');
  const hook: Hook = {
    when: 'before',
    tools: '*',
    command: 'until [ -e go ]; do :; done; bash checks/check.sh',
    timeout_ms: 60_000,
    files: { 'checks/check.sh': 'echo approved' },
  };
  const write = (content: string): Promise<unknown> =>
    callTool({ kind: 'builtin', name: 'write_file' }, { path: 'checks/check.sh', content }, context);
  const running = runHook(hook, {}, context);
  const refused = expect.objectContaining({
    content: 'A hook goes by `checks/check.sh` just now. Try again.',
  }) as object;
  await vi.waitFor(async () => expect(await write('echo approved')).toEqual(refused), 10_000);
  expect(await write('echo not approved')).toEqual(refused);
  writeFileSync(join(context.workspace, 'go'), '');
  expect(await running).toMatchObject({ output: { stdout: 'approved\n' } });
  expect(await write('echo not approved')).toMatchObject({ is_error: false });
});
