import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../../src/compiler/text/disk.js';

/** Tells what a program gets that is started before and after. */
const PROGRAM = `
import { execFileSync } from 'node:child_process';
const { closeInherited } = await import(process.argv[1]);
const listed = () => execFileSync('sh', ['-c', 'echo /proc/self/fd/*'], { encoding: 'utf8' });
const given = () => listed().trim().split(' ').map((path) => Number(path.slice('/proc/self/fd/'.length)));
const before = given();
closeInherited();
console.log(JSON.stringify({ before, after: given() }));
`;
/** Node itself keeps low ones back, up to the first that is not there. */
const HIGH = 40;

it.runIf(process.platform === 'linux')('a host hands nothing on that it was started with', () => {
  const module = pathToFileURL(join(packageRoot(), 'dist/workers/processes/inherited.js')).href;
  const node = [process.execPath, '--input-type=module', '-e', PROGRAM, module];
  const words = ['-c', `exec "$@" ${HIGH}</`, 'bash', ...node];
  const { before, after } = JSON.parse(execFileSync('bash', words, { encoding: 'utf8' })) as Record<string, number[]>;
  expect(before).toContain(HIGH);
  expect(after).not.toContain(HIGH);
});
