// @module-tag arduino
// @module-tag sandbox
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { buildImage } from '../../src/activities/devices/build-image.js';
import { temporaryFolder } from '../activities/helpers/harness.js';
import { benchIn } from '../devices/bench.js';
import { closeBoards, deviceOf } from '../devices/boards.js';

closeBoards();
afterEach(() => vi.unstubAllEnvs());

const CANARY = 'KEY=canary-of-the-host';

/** What a compiler is told to read beside its source, each by the path of the canary, from the workspace's root. */
it.each<[string, string, (path: string) => string]>([
  ['an include of a C source', 'main.c', (path) => `#include "${path}"\nint main(void) { return 0; }\n`],
  ['an include of a sketch', 'main.ino', (path) => `#include "${path}"\nvoid setup() {}\nvoid loop() {}\n`],
  ['bytes of an assembler source', 'main.S', (path) => `.global main\nmain:\n.incbin "${path}"\n`],
  [
    'bytes of assembler in a C source',
    'main.c',
    (path) => `__asm__(".incbin \\"${path}\\"");\nint main(void) { return 0; }\n`,
  ],
])('a source that agents wrote is compiled without what is outside: %s', async (_case, name, source) => {
  const outside = await temporaryFolder();
  const cwd = await temporaryFolder();
  await writeFile(join(outside, 'key'), `${CANARY}\n`);
  await mkdir(join(cwd, '.perdure'));
  await writeFile(join(cwd, '.perdure', 'key'), `${CANARY}\n`);
  await writeFile(join(cwd, '.perdure', 'store.json'), '{"id":"s"}');
  const bench = benchIn(cwd);
  for (const path of [join(outside, 'key'), join(cwd, '.perdure', 'key'), join(homedir(), '.profile')]) {
    await writeFile(join(cwd, name), source(path));
    const said = await buildImage(deviceOf({ kind: 'simulated' }), [name], bench).then(
      (image) => JSON.stringify(image),
      (error: unknown) => String(error),
    );
    expect(said).toMatch(/No such file|file not found/);
    expect(said).not.toContain('canary');
  }
});

it.each(['@run.c', './@run.c', '-wrapper=x.c', '-fplugin=./evil.c'])(
  'the name `%s` of a source is taken neither for an option nor for a file of options',
  async (name) => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, '-fplugin=.'));
    for (const file of ['@run.c', '-wrapper=x.c', '-fplugin=./evil.c', 'evil.c'])
      await writeFile(join(cwd, file), 'int main(void) { return 0; }\n');
    await writeFile(join(cwd, 'run.c'), '-wrapper sh,evil.sh\n');
    await expect(buildImage(deviceOf({ kind: 'simulated' }), [name], benchIn(cwd))).rejects.toThrow(
      'Expected a source whose name begins with a letter',
    );
  },
);

it('what is kept for other builds is made of nothing that a workspace holds', async () => {
  vi.stubEnv('XDG_CACHE_HOME', await temporaryFolder());
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'main.c'), 'int main(void) { return 0; }\n');
  // The Arduino core includes it by this name; in what a source of the workspace includes its folder comes first.
  await mkdir(join(cwd, 'avr'));
  await writeFile(join(cwd, 'avr', 'pgmspace.h'), '#error canary\n');
  const image = await buildImage(deviceOf({ kind: 'simulated' }), ['main.c'], benchIn(cwd));
  expect(image.bytes).toBeGreaterThan(0);
});

it('an image is a file that the compiler has made, and not what a link leads to', async () => {
  const outside = await temporaryFolder();
  const cwd = await temporaryFolder();
  await writeFile(join(outside, 'key'), CANARY);
  await writeFile(join(cwd, 'main.c'), 'int main(void) { return 0; }\n');
  const device = deviceOf({ kind: 'simulated' });
  const { compile } = device.kind;
  if (compile === null) throw new Error('It compiles.');
  const link = ['ln', '-sf', join(outside, 'key'), '{out}/image.hex'];
  const linked = { ...device, kind: { ...device.kind, compile: { ...compile, link: [...compile.link, link] } } };
  await expect(buildImage(linked, ['main.c'], benchIn(cwd))).rejects.toThrow('Expected an image in `image.hex`');
});
