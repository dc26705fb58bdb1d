import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildImage } from '../../../src/activities/devices/build-image.js';
import { bytesOf, readImageFile } from '../../../src/activities/devices/images.js';
import type { CompileRules, Device, ImageFormat } from '../../../src/plan/devices/device.js';
import { benchIn } from '../../devices/bench.js';
import { deviceOf } from '../../devices/boards.js';
import { temporaryFolder } from '../helpers/harness.js';

const LATIN = Buffer.from('print("caf\xe9")\n', 'latin1');

/** A board whose images are made by these rules. */
function boardOf(image: ImageFormat, compile: Partial<CompileRules>): Device {
  const device = deviceOf({});
  const rules = { join: null, rules: [], library: null, link: [], result: null, sandbox: false, ...compile };
  return { ...device, kind: { ...device.kind, image, compile: rules } };
}

it('files for a board keep their bytes, also those that are no UTF-8', async () => {
  const cwd = await temporaryFolder();
  for (const name of ['data.txt', 'main.py']) await writeFile(join(cwd, name), LATIN);
  const device = boardOf('files', { rules: [{ from: ['.py'], run: ['true'] }] });
  const { files } = await buildImage(device, ['main.py'], benchIn(cwd));
  expect([await readImageFile('data.txt', device, cwd), ...files].map(bytesOf)).toEqual([LATIN, LATIN]);
});

it('sources that are joined reach the compiler with their bytes', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'main.ino'), LATIN);
  const device = boardOf('bin', {
    join: { from: ['.ino'], to: '.cpp', head: '// ü' },
    rules: [{ from: ['.cpp'], run: ['cp', '{source}', '{object}'] }],
    link: [['cp', '{objects}', '{out}/image.bin']],
    result: 'image.bin',
  });
  const { files } = await buildImage(device, ['main.ino'], benchIn(cwd));
  expect(files.map(bytesOf)).toEqual([Buffer.concat([Buffer.from('// ü\n#line 1 "main.ino"\n'), LATIN])]);
});
