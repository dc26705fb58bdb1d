import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NEEDS } from '../../scripts/needs.mjs';
import { readReport } from '../../scripts/test-report.mjs';
import { packageRoot } from '../../src/store/folders/package-root.js';

const ROOT = packageRoot();
const TABLE = fileURLToPath(new URL('../../scripts/needs.mjs', import.meta.url));
/** What every Debian has, and what comes with Node. */
const ALWAYS = [
  '/bin/sh',
  'bash',
  'chown',
  'go',
  'grep',
  'mkfifo',
  'mount',
  'npm',
  'nsenter',
  'prlimit',
  'script',
  'sh',
  'sleep',
  'tar',
  'true',
  'umount',
  'unshare',
];
const FILES = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, 'test', file), 'utf8') }));

/** A folder with these programs and nothing else. `apt-get` and `sudo` note what they are asked for. */
function machineWith(...programs: string[]): { path: string; asked: () => string } {
  const path = mkdtempSync(join(tmpdir(), 'perdure-needs-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const log = join(path, 'log');
  for (const [name, text] of Object.entries({
    'apt-get': `echo "$@" >> ${log}`,
    sudo: '[ "$1" = -n ] && shift; exec "$@"',
    env: 'exec /usr/bin/env "$@"',
    true: 'exit 0',
  })) {
    if (!programs.includes(name)) continue;
    writeFileSync(join(path, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(path, name), 0o755);
  }
  symlinkSync(process.execPath, join(path, 'node'));
  return { path, asked: () => (existsSync(log) ? readFileSync(log, 'utf8') : '') };
}

/** What `npm test tools` says of such a machine before it begins, and what it finds missing. */
function provide(path: string, mayInstall: boolean): { said: string; missing: string[] } {
  const program =
    `import(${JSON.stringify(TABLE)}).then(({ provide }) => { const said = []; const missing = provide({ tiers: ` +
    `['tools'], full: false, mayInstall: ${mayInstall}, say: (line) => said.push(line) }); ` +
    `console.log(JSON.stringify({ said: said.join('\\n'), missing: missing.map(({ name }) => name) })); })`;
  return JSON.parse(
    execFileSync(process.execPath, ['-e', program], {
      env: { PATH: path },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as { said: string; missing: string[] };
}

describe('what tests need of the machine', () => {
  it('is said by names of the table, in the tiers that the table has', async () => {
    const { default: config } = await import('../../vitest.config.js');
    // as our own config makes them
    const projects = (config.test?.projects ?? []) as { test: { name: string; include: string[] } }[];
    const tierOf = (file: string): string =>
      projects.find(({ test }) => test.include.some((pattern) => pattern.startsWith(`test/${file.split('/')[0]}/`)))
        ?.test.name ?? file;
    const used = new Map<string, Set<string>>(NEEDS.map(({ name }) => [name, new Set<string>()]));
    for (const { file, text } of FILES.filter(
      ({ file }) => file.endsWith('.test.ts') && file !== 'tools/needs.test.ts',
    )) {
      const tags = [...text.matchAll(/^\/\/ @module-tag (\S+)$/gm), ...text.matchAll(/tags: \[([^\]]*)\]/g)].flatMap(
        ([, names = '']) => names.split(',').map((name) => name.trim().replaceAll("'", '')),
      );
      for (const tag of tags) used.set(tag, (used.get(tag) ?? new Set()).add(tierOf(file)));
    }
    expect(Object.fromEntries([...used].map(([name, tiers]) => [name, [...tiers].sort()]))).toEqual(
      Object.fromEntries(NEEDS.map(({ name, tiers }) => [name, [...tiers].sort()])),
    );
  });

  it('names every program that a test starts', () => {
    const known = [...ALWAYS, ...NEEDS.flatMap(({ parts }) => parts.map(({ what }) => what.replaceAll('`', '')))];
    const started = FILES.flatMap(({ file, text }) =>
      [
        ...text.matchAll(
          /\b(?:spawn|spawnSync|execFile|execFileSync|startProgram|promisify\(execFile\))\(\s*'([^']+)'/g,
        ),
      ].map(([, program = '']) => ({ file, program })),
    );
    expect(started.length).toBeGreaterThan(10);
    expect(
      started.filter(
        ({ program }) =>
          !known.some((one) => one === program || one.startsWith(`${program}\` with`)) &&
          !program.startsWith('/nowhere'),
      ),
    ).toEqual([]);
  });
});

describe('a machine that lacks something', () => {
  it('gets its Debian packages, which is said first, by root or by a sudo without a password', () => {
    const { path, asked } = machineWith('apt-get', 'sudo', 'env', 'true');
    const { said, missing } = provide(path, true);
    expect(said.split('\n')[0]).toMatch(/^installing what they use .*apt-get install .*\bsocat\b/);
    expect(asked()).toMatch(/ update\n.* install -y --no-install-recommends .*\bsocat\b/);
    // What is still missing then is told.
    expect(missing).toContain('socat');
  });

  it.each([
    ['where that is not wanted', ['apt-get', 'sudo', 'env', 'true'], false, 'as `--no-install` says'],
    [
      'where there is no apt-get',
      ['sudo', 'env', 'true'],
      true,
      'takes `apt-get`, and root or a `sudo` without a password',
    ],
  ])('gets nothing %s, and one sentence for each need', (_, programs, mayInstall, why) => {
    const { path, asked } = machineWith(...programs);
    const { said, missing } = provide(path, mayInstall);
    expect(asked()).toBe('');
    expect(missing).toContain('socat');
    expect(said).toContain(
      'tests of `socat` are not run: each needs `socat`, which this machine lacks (Debian: apt-get install socat)',
    );
    expect(said).toContain(why);
  });

  it('runs no test that needs it, starts nothing for it, and counts it as not run', () => {
    const { path } = machineWith();
    const report = join(path, 'report.json');
    const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
    const { status } = spawnSync(
      process.execPath,
      [
        vitest,
        'run',
        '--project',
        'tools',
        'test/devices/ports.test.ts',
        '--reporter=json',
        `--outputFile.json=${report}`,
      ],
      { cwd: ROOT, env: { PATH: path, HOME: path }, stdio: 'ignore' },
    );
    expect(status).toBe(0);
    const { passed, failed, skipped, notRun } = readReport(report, new Map([['socat', 'needs `socat`']]));
    expect({ passed, failed, skipped }).toEqual({ passed: 0, failed: 0, skipped: [] });
    expect(notRun.length).toBeGreaterThan(3);
    expect(notRun.every((line) => line.endsWith(': needs `socat`'))).toBe(true);
    // What was skipped for a reason that is no need of the machine is never taken for one.
    expect(readReport(report, new Map()).skipped).toHaveLength(notRun.length);
  });
});
