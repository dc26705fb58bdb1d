// @module-tag arduino
// @module-tag sandbox
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildImage } from '../../src/activities/devices/build-image.js';
import { temporaryFolder } from '../activities/helpers/harness.js';
import { closeBoards, deviceOf } from '../devices/boards.js';

closeBoards();

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
  const bench = {
    owner: { store: 'none', run: 'test' },
    cwd,
    signal: new AbortController().signal,
    log: { write: () => undefined, writeLast: () => undefined, close: async () => undefined },
  };
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
