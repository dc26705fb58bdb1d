// @seconds 30
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listProcesses } from '../../src/workers/processes/processes.js';
import type { Project } from './project.js';
import { FULL, random } from './seed.js';
import { kill, openProject, projectAt, until } from './project.js';

const GATED = `name: gated
steps:
  - id: before
    command: [sh, -c, 'head -c 3000 /dev/zero | tr "\\\\0" a; echo before >> done.txt']
  - id: gate
    approval: Go on?
    content: "\${steps.before.output}"
  - id: after
    command: [sh, -c, 'pwd; echo after >> done.txt']
output: "\${steps.after.output}"
`;

async function waiting(): Promise<Project> {
  const project = await openProject({ 'definitions/workflows/gated.yml': GATED });
  onTestFinished(() => project.close());
  const run = await project.run('run', 'definitions/workflows/gated.yml', '--id', 'gated', '--no-wait', '--json');
  expect(run.code, run.stderr).toBe(4);
  return project;
}

/** Servers that have this folder in their command line, and hosts. */
async function left(folder: string): Promise<number[]> {
  return (await listProcesses())
    .filter(({ argv }) => argv.some((word) => word.startsWith(`${folder}/`)))
    .map(({ pid }) => pid);
}

/** How many commands have joined the host. */
async function followed(project: Project): Promise<number> {
  const { stdout } = await project.run('server', 'status', '--json');
  return (JSON.parse(stdout) as { clients: number }).clients;
}

async function goOn(moved: Project): Promise<void> {
  const approved = await moved.run('approve', 'gated/gate', '--json');
  expect(approved.code, approved.stderr).toBe(0);
  const end = await moved.run('watch', 'gated', '--json');
  expect(end.code, end.stderr).toBe(0);
  const shown = JSON.parse((await moved.run('show', 'gated', '--json')).stdout) as { status: string; output: string };
  expect(shown).toMatchObject({ status: 'success', output: moved.folder });
  expect(await moved.read('done.txt')).toBe('before\nafter\n');
}

/** Files of the state folder in which a text is, beside those that only tell people or name processes. */
async function mentions(project: Project, text: string): Promise<string[]> {
  const state = join(project.folder, '.perdure');
  const files = (await readdir(state, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  // Temporal's server writes down what its own database is called.
  const told = async (file: string): Promise<string> =>
    (await readFile(file, 'latin1')).replaceAll(join(text, '.perdure', 'temporal.db'), '');
  const found = await Promise.all(
    files.map(async (file) => ((await told(file)).includes(text) ? [relative(state, file)] : [])),
  );
  return found.flat().filter((file) => !/^(?:logs\/|host\.json|store\.json)/.test(file));
}

/** The project at another place, where it is closed at the test's end. */
async function movedAway(project: Project): Promise<Project> {
  const to = `${project.folder}-moved`;
  await rename(project.folder, to);
  const moved = projectAt(to);
  onTestFinished(() => moved.close());
  return moved;
}

describe('a project whose folder changes under a living host', () => {
  const scenes: [title: string, act: () => Promise<void>][] = [];
  const scene = (title: string, act: () => Promise<void>): void => void scenes.push([title, act]);

  scene('goes on where it was moved to: the host ends, and nothing is made anew where it was', async () => {
    const project = await waiting();
    const { host, server } = await project.pids();
    const moved = await movedAway(project);
    await goOn(moved);
    expect(existsSync(project.folder)).toBe(false);
    expect(await left(project.folder)).toEqual([]);
    expect([host, server]).not.toEqual(Object.values(await moved.pids()));
  });

  scene(
    'goes on where it was moved to though its host was killed and its server lives: that one is ended first',
    async () => {
      const project = await waiting();
      const { host } = await project.pids();
      if (host !== null) kill(host);
      const moved = await movedAway(project);
      await goOn(moved);
      expect(existsSync(project.folder)).toBe(false);
      expect(await left(project.folder)).toEqual([]);
    },
  );

  scene('is moved, and another one is made in its place: neither touches the other', async () => {
    const project = await waiting();
    const moved = await movedAway(project);
    const other = projectAt(project.folder);
    await cp(join(moved.folder, 'definitions'), join(project.folder, 'definitions'), { recursive: true });
    await writeFile(join(project.folder, 'perdure.yml'), '{}\n');
    const run = await other.run('run', 'definitions/workflows/gated.yml', '--id', 'other', '--yes', '--json');
    expect(run.code, run.stderr).toBe(0);
    await goOn(moved);
    expect((await other.run('show', 'gated', '--json')).code).not.toBe(0);
    expect((await moved.run('show', 'other', '--json')).code).not.toBe(0);
  });

  scene(
    'whose host was stopped is copied elsewhere as a whole, and its runs go on there: nothing in them names the ' +
      'old place',
    async () => {
      const project = await waiting();
      expect((await project.run('server', 'stop')).code).toBe(0);
      expect(await mentions(project, project.folder)).toEqual([]);
      const to = `${project.folder}-copied`;
      await cp(project.folder, to, { recursive: true });
      await rm(project.folder, { recursive: true });
      const moved = projectAt(to);
      onTestFinished(() => moved.close());
      await goOn(moved);
      const rerun = await moved.run('rerun', 'gated', '--yes', '--json', '--id', 'again');
      expect(rerun.code, rerun.stderr).toBe(0);
      expect(existsSync(project.folder)).toBe(false);
    },
  );

  scene('is moved under a command that follows a run: that one ends and makes nothing where it was', async () => {
    const project = await waiting();
    const following = project.start('watch', 'gated');
    await until(async () => (await followed(project)) > 0);
    const moved = await movedAway(project);
    const end = await following.finished;
    expect([end.code, end.stderr]).toEqual([3, expect.stringContaining('was moved or removed')]);
    expect(existsSync(project.folder)).toBe(false);
    await goOn(moved);
  });

  scene('is removed: the host ends, and leaves no server behind', async () => {
    const project = await waiting();
    const { host, server } = await project.pids();
    expect([host, server]).not.toContain(null);
    await rm(project.folder, { recursive: true, force: true, maxRetries: 20 });
    await until(async () => (await left(project.folder)).length === 0);
    expect(existsSync(project.folder)).toBe(false);
  });

  const draw = random('moved');
  const chosen = FULL
    ? scenes
    : scenes
        .map((one) => ({ one, at: draw() }))
        .sort((a, b) => a.at - b.at)
        .slice(0, 2)
        .map(({ one }) => one);
  for (const [title, act] of chosen) it(title, act);
});
