import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needsNpx } from '../../../src/cli/text/own-name.js';
import { newFolder } from '../helpers/command-line.js';

const LOCAL = '/project/node_modules/.bin/perdure';

function pathWith(program: boolean): string {
  const folder = newFolder();
  if (program) {
    writeFileSync(join(folder, 'perdure'), '#!/bin/sh\n');
    chmodSync(join(folder, 'perdure'), 0o755);
  }
  return [folder, '/project/node_modules/.bin'].join(delimiter);
}

describe('the name by which hints call the program', () => {
  const byNpx = { npm_lifecycle_script: 'perdure "list"' };
  it.each([
    { says: 'is `npx perdure` for a package of the project', env: {}, program: LOCAL, isOnPath: false, npx: true },
    { says: 'is `npx perdure` where npx runs a checkout', env: byNpx, program: '/m.js', isOnPath: false, npx: true },
    { says: 'is `perdure` where that is on the path too', env: {}, program: LOCAL, isOnPath: true, npx: false },
    {
      says: 'is `perdure` where its file was started',
      env: {},
      program: '/dist/cli/main.js',
      isOnPath: false,
      npx: false,
    },
    {
      says: 'is `perdure` below what npx runs otherwise',
      env: { npm_lifecycle_script: 'vitest run' },
      program: '/m.js',
      isOnPath: false,
      npx: false,
    },
  ])('$says', ({ env, program, isOnPath, npx }) => {
    expect(needsNpx({ ...env, PATH: pathWith(isOnPath) }, program)).toBe(npx);
  });
});
