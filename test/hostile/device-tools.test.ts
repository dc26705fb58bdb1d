// @module-tag sandbox
// @module-tag python3
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { buildImage } from '../../src/activities/devices/build-image.js';
import { imageOf } from '../../src/activities/devices/images.js';
import { runTool } from '../../src/activities/devices/tool.js';
import { holdsImage, writeImage } from '../../src/activities/devices/write-image.js';
import { openStore } from '../../src/store/local-store.js';
import { temporaryFolder } from '../activities/helpers/harness.js';
import { benchIn } from '../devices/bench.js';
import { deviceOf } from '../devices/boards.js';

// The system's Python: one of a person's home is not there in the sandbox.
beforeAll(() => void vi.stubEnv('PATH', '/usr/bin:/bin'));
afterAll(() => void vi.unstubAllEnvs());

/** Opens the top folder of the file system that the workspace is in by its number, as a handle names it. */
const BY_NUMBER = `
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
handle = ctypes.create_string_buffer(struct.pack('<IiII', 8, 1, 2, 0) + bytes(120))
for folder in ('.', sys.argv[1]):
    found = libc.open_by_handle_at(os.open(folder, os.O_RDONLY), handle, os.O_DIRECTORY)
    print('opened' if found >= 0 else ctypes.get_errno())
`;

it('a source in Python is compiled by no module of the workspace', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'main.py'), 'print(1)\n');
  for (const name of ['py_compile', 'importlib', 'os'])
    await writeFile(join(cwd, `${name}.py`), 'raise SystemExit("the agent runs")\n');
  const image = await buildImage(deviceOf({ kind: 'micropython' }), ['main.py'], benchIn(cwd));
  expect(image.bytes).toBeGreaterThan(0);
});

it('a tool that compiles opens no file of the machine by its number, whoever we are', async () => {
  const cwd = await temporaryFolder();
  const writes = await temporaryFolder();
  await writeFile(join(cwd, 'by-number.py'), BY_NUMBER);
  const end = await runTool(['python3', 'by-number.py', writes], benchIn(cwd), { sight: { writes, reads: [] } });
  expect(end).toEqual({ code: 0, said: '1\n1\n' }); // EPERM of the filter
});

it('a tool that compiles sees no state folder of ours, however deep it lies and whatever its name', async () => {
  const cwd = await temporaryFolder();
  const state = join(cwd, 'a/b/c/d/state');
  const store = await openStore(state);
  await store.sign('x');
  const sight = { writes: await temporaryFolder(), reads: [] };
  const see = (...argv: string[]): Promise<{ code: number | null; said: string }> =>
    runTool(argv, benchIn(cwd, [], state), { sight });
  expect(await see('ls', '-A', 'a/b/c/d/state')).toEqual({ code: 0, said: '' });
  expect((await see('cat', 'a/b/c/d/state/approval.key')).said).toContain('No such file');
});

it('a tool that links outside the sandbox runs where no agent has written settings for it', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'blink.ino'), 'void setup() {}\nvoid loop() {}\n');
  await writeFile(join(cwd, 'arduino-cli.yaml'), 'directories: {user: .}\n');
  const device = deviceOf({ kind: 'esp32' });
  const { compile } = device.kind;
  if (compile === null) throw new Error('expected a kind that compiles');
  const looks = [
    ['sh', '-c', 'test ! -e arduino-cli.yaml && cp "$0"/sketch.ino "$1"/sketch.ino.bin', '{sketch}', '{out}'],
  ];
  const looking = { ...device, kind: { ...device.kind, compile: { ...compile, link: looks } } };
  const image = await buildImage(looking, ['blink.ino'], benchIn(cwd));
  expect(image.bytes).toBeGreaterThan(0);
});

it('tools that write to a board run where no agent has written settings for them', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'esptool.cfg'), '[esptool]\ncustom_reset_sequence = W0\n');
  const device = deviceOf({ kind: 'esp32' });
  const looks = [['sh', '-c', 'ls -A; test ! -e esptool.cfg']];
  const looking = { ...device, kind: { ...device.kind, flash: looks, verify: looks } };
  const image = imageOf('bin', device.target, [{ name: 'a.bin', encoding: 'base64', data: 'AAAA' }]);
  const said: string[] = [];
  const context = { port: { path: '/dev/null', lock: {} }, bench: benchIn(cwd, said), progress: {} };
  // no more of a port is asked for
  await writeImage(looking, image, context as unknown as Parameters<typeof writeImage>[2]);
  expect(await holdsImage(looking, image, context as unknown as Parameters<typeof holdsImage>[2])).toBe(true);
  expect(said.join('')).toBe('0.bin\n'.repeat(3));
  expect(existsSync(join(cwd, '0.bin'))).toBe(false);
});
