import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageVersion } from '../../src/cli/package-version.js';
import { packageRoot } from '../../src/store/folders/package-root.js';
import { WORKER_FLAGS } from '../../src/workers/worker/worker-options.js';
import { newFolder } from './helpers/command-line.js';

const BUILT = join(packageRoot(), 'dist', 'cli');
const version = packageVersion();

/** A copy of the built command line somewhere else; gives its folder. */
function copyOfPackage(): string {
  const root = newFolder({ 'package.json': readFileSync(join(packageRoot(), 'package.json'), 'utf8') });
  const cli = join(root, 'dist', 'cli');
  cpSync(BUILT, cli, { recursive: true });
  cpSync(join(BUILT, '..', 'workers', 'run-compiled.js'), join(cli, '..', 'workers', 'run-compiled.js'));
  return cli;
}

function run(cli: string, flags: string[] = []): string {
  return execFileSync(process.execPath, [...flags, join(cli, 'main.js'), '--version'], { encoding: 'utf8' }).trim();
}

/** Which Node and which file the compiled code is of. */
function compiledFor(cli: string): string {
  return readFileSync(join(cli, 'command-line.cache'), 'latin1').split('\n', 1)[0] ?? '';
}

const here = (cli: string): string => `${process.version} ${process.arch} ${join(cli, 'command-line.cjs')}`;

it('the build keeps what V8 has compiled of the command line, for where it is and for this Node', () => {
  expect(compiledFor(BUILT)).toBe(here(BUILT));
});

it('the build keeps what V8 has compiled of the host, which V8 takes under the flags of a host', () => {
  const file = join(packageRoot(), 'dist', 'workers', 'host.cjs');
  const head = `${process.version} ${process.arch} ${file}\n`;
  expect(readFileSync(file.replace(/cjs$/, 'cache'), 'latin1').slice(0, head.length)).toBe(head);
  const program = `
    const { readFileSync } = require('fs');
    const filename = ${JSON.stringify(file)};
    const cachedData = readFileSync(filename.replace(/cjs$/, 'cache')).subarray(${head.length});
    const script = new (require('vm').Script)(readFileSync(filename, 'latin1'), { filename, cachedData });
    console.log(script.cachedDataRejected);`;
  expect(execFileSync(process.execPath, [...WORKER_FLAGS, '-e', program], { encoding: 'utf8' }).trim()).toBe('false');
});

it('a command line that was moved is compiled anew, once', () => {
  const cli = copyOfPackage();
  expect(run(cli)).toBe(version);
  expect(compiledFor(cli)).toBe(here(cli));
  const kept = readFileSync(join(cli, 'command-line.cache'));
  expect(run(cli)).toBe(version);
  expect(readFileSync(join(cli, 'command-line.cache')).equals(kept)).toBe(true);
  expect(readdirSync(cli).filter((name) => name.includes('.cache.'))).toEqual([]);
});

it('a command line that was never compiled, or by another Node, runs and is compiled', () => {
  const cli = copyOfPackage();
  rmSync(join(cli, 'command-line.cache'));
  expect(run(cli)).toBe(version);
  expect(compiledFor(cli)).toBe(here(cli));
  writeFileSync(join(cli, 'command-line.cache'), `v1.2.3 ${process.arch} ${join(cli, 'command-line.cjs')}\nnothing`);
  expect(run(cli)).toBe(version);
  expect(compiledFor(cli)).toBe(here(cli));
});

it('compiled code that V8 refuses, for its flags or because it is damaged, is not used', () => {
  const cli = copyOfPackage();
  expect(run(cli, ['--no-opt', '--max-lazy'])).toBe(version);
  const compiled = readFileSync(join(cli, 'command-line.cache'));
  for (const damaged of [
    compiled.subarray(0, compiled.length / 2),
    Buffer.concat([compiled.subarray(0, here(cli).length + 1), Buffer.alloc(1000)]),
  ]) {
    writeFileSync(join(cli, 'command-line.cache'), damaged);
    expect(run(cli)).toBe(version);
  }
});

it('a failure tells the file where the command line is, not where it was built', () => {
  const cli = copyOfPackage();
  run(cli);
  const { stderr } = spawnSync(
    process.execPath,
    [
      '--stack-trace-limit=50',
      '-e',
      `process.argv[1] = 'perdure'; process.argv[2] = '--version'; process.stdout.write = () => { throw new ` +
        `Error('here'); }; import(${JSON.stringify(join(cli, 'main.js'))})`,
    ],
    { encoding: 'utf8', env: { ...process.env, PERDURE_DEBUG: '1' } },
  );
  expect(stderr).toContain(join(cli, 'command-line.cjs'));
});
