// @module-tag tmpfs
// @module-tag sandbox
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { MAIN, openProject } from '../faults/project.js';

let project: Project;
let endpoint: ModelEndpoint;
beforeAll(async () => {
  endpoint = await startModelEndpoint(() => ({ text: 'No.' }));
  project = await openProject({
    'perdure.yml': 'devices:\n  uno: {kind: simulated}\n',
    'page.yml': 'goal: A page.\n',
    'blink.yml': 'goal: A light that blinks.\ntype: hardware\ndevices: [{name: uno}]\n',
  });
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

/** Runs the program where these files are not to be seen. */
function without(
  hidden: string[],
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number; said: string }> {
  const hide = hidden.filter(existsSync).map((file) => `mount --bind /dev/null ${file} && `);
  return new Promise((resolve) => {
    const child = execFile(
      'unshare',
      ['--mount', '/bin/sh', '-c', `${hide.join('')}exec "$@"`, 'sh', process.execPath, MAIN, ...args],
      { cwd: project.folder, env: { ...KEPT, ...env } },
      (_error, _stdout, stderr) => resolve({ code: child.exitCode ?? -1, said: stderr }),
    );
  });
}

/** What the program finds Temporal by, and what the tests find its processes by. */
const KEPT = Object.fromEntries(
  ['PATH', 'HOME', 'PERDURE_TEMPORAL_BIN', 'PERDURE_TEST_RUN'].map((name) => [name, process.env[name]]),
);
const KEY = { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: '' };
const PROGRAMS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/usr/bin/git', '/usr/bin/avrdude', '/usr/bin/avr-g++'];

it('says all that is missing for a build at once, with how to get it, and starts nothing', async () => {
  const { code, said } = await without(PROGRAMS, ['build', 'blink.yml', '--yes'], {});
  expect(code, said).toBe(3);
  expect(said).toContain('The build cannot begin, and nothing was started. What is missing here:');
  for (const [name, fix] of [
    ['sandbox', 'apt-get install bubblewrap'],
    ['git', 'Install the package git'],
    ['avrdude', 'Install the package avrdude'],
    ['avr-g\\+\\+', 'Install the packages gcc-avr and avr-libc'],
    ['model', 'set ANTHROPIC_API_KEY'],
  ])
    expect(said).toMatch(new RegExp(`^ {2}${name}: [^]*${fix}`, 'm'));
  expect(existsSync(join(project.folder, '.perdure'))).toBe(false);
});

it('asks for no more than a build uses: a page needs no tools of boards, and a rehearsal no model', async () => {
  const page = await without(PROGRAMS, ['build', 'page.yml', '--yes'], { ...KEY, ANTHROPIC_BASE_URL: endpoint.url });
  expect([page.code, page.said]).toEqual([3, expect.not.stringMatching(/avr|model/)]);
  const rehearsed = await without(PROGRAMS, ['build', 'blink.yml', '--rehearse', '--yes'], {});
  expect([rehearsed.code, rehearsed.said]).toEqual([3, expect.not.stringMatching(/avrdude|model/)]);
  expect(rehearsed.said).toContain('avr-g++');
  expect(endpoint.requests).toEqual([]);
});

it('says it whatever command starts the build', async () => {
  const { code, said } = await without(['/usr/bin/git'], ['run', 'page.yml', '--detach'], KEY);
  expect([code, said]).toEqual([3, expect.stringContaining('git: there is none')]);
});

it('looks again when a build is run again', { tags: ['arduino', 'avrdude'] }, async () => {
  const env = { ...KEY, ANTHROPIC_BASE_URL: endpoint.url };
  // Its planner says nothing that is a plan.
  expect((await without([], ['build', 'blink.yml', '--yes', '--id', 'blinked'], env)).code).toBe(1);
  const { code, said } = await without(['/usr/bin/avr-g++', '/usr/bin/git'], ['rerun', 'blinked', '--yes'], env);
  expect([code, said]).toEqual([3, expect.stringMatching(/git: there is none[^]*avr-g\+\+: not on the PATH/)]);
});
