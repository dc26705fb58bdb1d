// @seconds 55
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { workspaceDigest } from '../../src/activities/workspace/workspace-digest.js';
import * as enclosure from '../../src/store/git/enclosure.js';
import { createSnapshots, snapshotFolder } from '../../src/store/snapshots/snapshots.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';
import { PLANTS, STALLING, plantScript } from './git-plants.js';

vi.mock(import('../../src/store/git/enclosure.js'), async (original) => {
  const real = await original();
  return { ...real, sandboxProgram: vi.fn(real.sandboxProgram) };
});

const names = Object.keys(PLANTS);
const slug = (name: string): string => `in-${name.replaceAll(/[^a-z]+/g, '-')}`;

/** A folder outside, with a secret in it and the marks of programs that were started. */
function openOutside(): { folder: string; marks: string; state: () => string[]; close: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-outside-'));
  const marks = join(folder, 'marks');
  mkdirSync(marks);
  mkdirSync(join(folder, 'hooks'));
  for (const name of ['secret', 'config', 'hooks/pre-commit', 'HEAD', 'index'])
    writeFileSync(join(folder, name), `canary ${name}\n`);
  const state = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return `${path.slice(folder.length)} ${entry.isFile() ? readFileSync(path, 'utf8') : ''}`;
      })
      .sort();
  return { folder, marks, state, close: () => rmSync(folder, { recursive: true, force: true }) };
}

const textBelow = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

const WORK = `name: work
steps:
  - {id: write, tool: shell, inputs: {argv: [python3, write.py]}, permissions: {commands: {workspace: [python3]}}}
  - {id: look, needs: write, command: [cat, notes.txt], effect: none}
`;
/** An agent works in each of the repositories: what it would plant there itself is put back (inner-repositories). */
const WRITE = `import glob
for folder in glob.glob('in-*'): open(folder + '/more.txt', 'w').write('more')
`;
const PLANT = `import json, subprocess
for name, script, mark, outside in json.load(open('plants.json')):
    subprocess.run(['sh', '-c', script, 'sh', name, mark, outside], timeout=200)
`;

describe('a repository that somebody has filled with programs', () => {
  const outside = openOutside();
  const copies = mkdtempSync(join(tmpdir(), 'perdure-copies-'));
  let project: Project;
  let before: string[];

  beforeAll(async () => {
    const files = { 'work.yml': WORK, 'plant.py': PLANT, 'write.py': WRITE, 'notes.txt': 'notes\n' };
    project = await openProject(files);
    const plants = names.map((name) => [
      slug(name),
      plantScript(PLANTS[name] ?? ''),
      join(outside.marks, slug(name)),
      outside.folder,
    ]);
    writeFileSync(join(project.folder, 'plants.json'), JSON.stringify(plants));
    execFileSync('git', ['init', '--quiet', project.folder]);
    execFileSync('git', [
      '-C',
      project.folder,
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@example.org',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      'first',
    ]);
    // What an agent cannot write there, a person may have.
    for (const name of ['core.fsmonitor', 'diff.external', 'core.pager', 'filter.x.clean', 'diff.x.textconv'])
      execFileSync('git', [
        'config',
        '-f',
        join(project.folder, '.git', 'config'),
        name,
        join(project.folder, slug('fsmonitor'), 'evil'),
      ]);
    execFileSync('python3', ['plant.py'], { cwd: project.folder, stdio: 'ignore' });
    rmSync(outside.marks, { recursive: true }); // of the planting
    mkdirSync(outside.marks);
    writeFileSync(join(project.folder, '.gitattributes'), '* filter=x diff=x\n');
    before = outside.state();
  });
  afterAll(async () => {
    rmSync(copies, { recursive: true, force: true });
    await project.close();
    outside.close();
  });

  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await project.run(...args);
    expect.soft({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    return stdout;
  };

  it('starts none of them on the host, and touches nothing outside: by run, show, diff, export and rerun', async () => {
    await run('run', 'work.yml', '--id', 'w');
    expect(readdirSync(project.folder)).toEqual(expect.arrayContaining(names.map(slug)));
    const shown = [
      await run('workspace', 'show', 'w'),
      await run('workspace', 'diff', 'w'),
      await run('workspace', 'diff', 'w', '--json'),
    ].join('\n');
    expect(shown).toContain('more.txt');
    await run('workspace', 'export', 'w', join(copies, 'then'), '--at', 'start');
    await run('workspace', 'export', 'w', join(copies, 'now'));
    await run('workspace', 'export', 'w', join(copies, 'made'), '--changed');
    await run('rerun', 'w', '--dry-run');
    await run('rerun', 'w', '--id', 'again');
    expect(await run('workspace', 'diff', 'again')).not.toContain('canary');
    expect(shown).not.toContain('canary');
    expect(textBelow(copies)).not.toMatch(/canary (secret|config|HEAD|index)/);
    expect(outside.state()).toEqual(before);
  });
});

describe('digests and snapshots, where a machine has a sandbox and where it has none', () => {
  const outside = openOutside();
  const folder = mkdtempSync(join(tmpdir(), 'perdure-plain-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
    outside.close();
  });

  it.each([
    ['with one', enclosure.sandboxProgram()],
    ['without', null],
  ])('%s, each of them is planted, and no digest and no snapshot starts it', async (how, sandbox) => {
    vi.mocked(enclosure.sandboxProgram).mockReturnValue(sandbox);
    const project = join(folder, how.replace(' ', '-'));
    execFileSync('git', ['init', '--quiet', project]);
    for (const name of names)
      execFileSync(
        'sh',
        [
          '-c',
          plantScript(PLANTS[name] ?? ''),
          'sh',
          join(project, slug(name)),
          join(outside.marks, slug(name)),
          outside.folder,
        ],
        { cwd: project, stdio: 'ignore' },
      );
    rmSync(outside.marks, { recursive: true }); // of the planting
    mkdirSync(outside.marks);
    const before = outside.state();
    const snapshots = createSnapshots(snapshotFolder(join(folder, `state-${how.replace(' ', '-')}`)));
    mkdirSync(join(folder, `state-${how.replace(' ', '-')}`), { recursive: true });
    const digest = await workspaceDigest(project);
    expect(digest).toMatch(/^sha256:/);
    expect(await workspaceDigest(project)).toBe(digest);
    // The second time git knows of each repository inside.
    for (const moment of ['start', 'end'] as const)
      expect(await snapshots.keepSnapshot('r', moment, project)).toBe(true);
    writeFileSync(join(project, slug('fsmonitor'), 'a.txt'), 'changed\n');
    expect(await workspaceDigest(project)).not.toBe(digest);
    expect(outside.state()).toEqual(before);
  });

  it('a pipe in place of a file of a repository ends the look at its time limit; nobody knows the state', async () => {
    vi.mocked(enclosure.sandboxProgram).mockReset();
    const digests = await Promise.all(
      Object.keys(STALLING).map((name) => {
        const project = join(folder, slug(name));
        execFileSync('git', ['init', '--quiet', project]);
        execFileSync(
          'sh',
          ['-c', plantScript(STALLING[name] ?? ''), 'sh', join(project, 'inside'), outside.marks, outside.folder],
          { cwd: project, stdio: 'ignore' },
        );
        return workspaceDigest(project);
      }),
    );
    expect(digests).toContain('unknown');
  });
});
