// @module-tag git
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runForPerson } from '../../src/cli/follow/input/person-program.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { findTemporal, temporalFolder } from '../../src/workers/temporal-binary/find.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

/** All that Perdure starts by its name. */
const NAMES = [
  ...['temporal', 'go', 'gcc', 'git', 'claude', 'codex', 'gemini', 'avrdude', 'stty', 'ps'],
  ...['bwrap', 'slirp4netns', 'nft', 'nsenter', 'sh', 'env', 'node', 'true'],
];
/** Folders of the workspace that a PATH may have: of packages by `npx`, of a Python environment, of `direnv`. */
const FOLDERS = ['node_modules/.bin', '.venv/bin', 'bin'];
const CLAUDE = 'name: ask\nsteps:\n  - id: say\n    agent: player\n    prompt: hello\n';
const COMMAND = 'name: tell\nsteps:\n  - id: who\n    command: [id, -u]\n    effect: none\n';

let project: Project;
let outside: string;
let path: string;
const started = (): Promise<string> => readFile(join(outside, 'started'), 'utf8').catch(() => '');

async function plant(folder: string, names: string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    await writeFile(join(folder, name), `#!/bin/sh\necho "$0" >> ${join(outside, 'started')}\n`);
    await chmod(join(folder, name), 0o755);
  }
}

beforeAll(async () => {
  outside = await mkdtemp(join(tmpdir(), 'perdure-outside-'));
  const cache = { XDG_CACHE_HOME: join(outside, 'cache') };
  const { path: temporal } = await findTemporal();
  await mkdir(dirname(temporalFolder(cache)), { recursive: true });
  await mkdir(temporalFolder(cache));
  await symlink(temporal, join(temporalFolder(cache), 'temporal'));
  const env = { PERDURE_TEMPORAL_BIN: '', PATH: '', ...cache };
  project = await openProject(
    {
      'ask.yml': CLAUDE,
      'tell.yml': COMMAND,
      'definitions/agents/player.yml': 'name: player\nagent: claude\nprompt: You play.\n',
    },
    env,
  );
  execFileSync('git', ['init', '-q', project.folder]);
  for (const folder of FOLDERS) await plant(join(project.folder, folder), NAMES);
  await plant(join(project.folder, 'node_modules/.bin'), ['id']);
  await symlink(join(project.folder, 'bin'), join(outside, 'link'));
  path = [
    ...FOLDERS.map((folder) => join(project.folder, folder)),
    join(outside, 'link'),
    './bin',
    '',
    '/usr/bin',
    '/bin',
  ].join(delimiter);
  env.PATH = path;
});
afterAll(async () => {
  await project.close();
  await rm(outside, { recursive: true, force: true });
});

describe('a program that stands in the workspace under the name of another', () => {
  it('is not started by a look at the machine, which does not take it for the other', async () => {
    const { stdout } = await project.run('doctor');
    expect(stdout).toContain(join(outside, 'cache'));
    expect(stdout).toMatch(/claude\s.*not on the PATH/);
    expect(await started()).toBe('');
  });

  it('is not started by host, server, snapshots and agents that programs play', async () => {
    const { code, stderr } = await project.run('run', 'ask.yml', '--id', 'ask');
    expect({ code, stderr }).toMatchObject({ code: expect.any(Number) as number });
    expect(code).not.toBe(0);
    expect(stderr).toContain('`claude`');
    expect(await started()).toBe('');
  });

  it('of a package is found last by a command', async () => {
    const { code, stdout } = await project.run('run', 'tell.yml', '--id', 'tell');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${process.getuid?.() ?? ''}\n` });
    expect(await started()).toBe('');
  });

  it('is not started as an editor or a pager', async () => {
    // no more of a terminal is asked for
    const terminal = { cwd: project.folder, env: { PATH: path } } as unknown as Terminal;
    expect(await runForPerson(['true'], terminal)).toBe(true);
    expect(await runForPerson(['claude'], terminal)).toBe(false);
    expect(await started()).toBe('');
  });
});
