// @module-tag git
// @seconds 90
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import { treePlaces } from '../../src/store/worktrees/places.js';
import type { Project } from './project.js';
import { openProject, until } from './project.js';
import { FULL, random } from './seed.js';
import { strike } from './strike.js';

const TASKS = ['one', 'two', 'three', 'four', 'five'];
/** A step that all depend on, and five side by side: each changes a line of one file, and makes one of its own. */
const WORKFLOW = `name: tasks
execution: dag
workspace: worktree
steps:
  - id: root
    command: [sh, -c, "for i in 1 2 3 4 5; do echo $i; echo; echo; echo; done > lines.txt; echo Laid the ground."]
    commit: "builder: root"
${TASKS.map(
  (name, index) => `  - id: ${name}
    needs: root
    command: [sh, -c, "sed -i 's/^${index + 1}$/${name}/' lines.txt; echo ${name} > ${name}.txt; echo Did ${name}."]
    commit: "builder: ${name}"
`,
).join('')}`;

type Run = 'built' | 'again';

const git = (project: Project, run: Run, ...args: string[]): string => {
  const cwd = treePlaces(join(project.folder, '.perdure'), run).git;
  return existsSync(join(cwd, 'HEAD'))
    ? execFileSync('git', ['--git-dir=.', ...args], { cwd, stdio: 'pipe' }).toString()
    : '';
};
const subjects = (project: Project, run: Run): string[] => {
  try {
    return git(project, run, 'log', '--reverse', '--format=%s', `perdure/${run}`).trim().split('\n');
  } catch {
    return []; // the branch is not there yet
  }
};

describe('kill -9 while steps commit side by side', () => {
  const draw = random('worktree-kill');
  const moments = Array.from({ length: FULL ? 12 : 2 }, (_, index) => ({
    victim: index % 2 === 0 ? ('host' as const) : ('everything' as const),
    commits: 1 + Math.floor(draw() * 5),
    delay: Math.floor(draw() * 900),
  }));

  /** Each step once, on one line, of a repository that is whole. */
  const expectAll = (project: Project, run: Run): void => {
    const [base, root, ...tasks] = subjects(project, run);
    expect([base, root]).toEqual(['Files as they were when the run began', 'builder: root']);
    expect(tasks.sort()).toEqual(TASKS.map((name) => `builder: ${name}`).sort());
    expect(git(project, run, 'rev-list', '--merges', `perdure/${run}`)).toBe('');
    expect(() => git(project, run, 'fsck', '--full', '--strict')).not.toThrow();
  };

  it.each(moments)(
    'of $victim, $delay ms after $commits commits: each step is committed once, and taken over once by a rerun',
    async ({ victim, commits, delay }) => {
      const project = await openProject({ 'tasks.yml': WORKFLOW });
      try {
        const struck = async (run: Run, after: number, words: string[]): Promise<void> => {
          const first = project.start(...words);
          const isNow = (): boolean => first.process.exitCode !== null || subjects(project, run).length > commits;
          await until(() => Promise.resolve(isNow()));
          await new Promise((resolve) => {
            setTimeout(resolve, after);
          }); // the random moment itself, not a wait for something
          await strike(project, victim, first.process.pid);
          const { stdout, stderr } = await project.run(...words);
          if (stdout === '') throw new Error(stderr);
          expect(JSON.parse(stdout) as RunResult).toMatchObject({ status: 'success', branch: `perdure/${run}` });
          expectAll(project, run);
        };
        await struck('built', delay, ['run', 'tasks.yml', '--id', 'built', '--json']);
        // Commits are taken over one after the other, each in a moment.
        await struck('again', delay / 9, ['rerun', 'built', '--id', 'again', '--json']);
        const from = git(project, 'again', 'log', '--format=%(trailers:key=Perdure-From,valueonly)', 'perdure/again');
        expect(from.trim().split(/\n+/)).toEqual(Array(TASKS.length + 1).fill('built'));
        expect(existsSync(join(project.folder, 'lines.txt'))).toBe(false);
        expect((await project.run('workspace', 'apply', 'built')).code).toBe(0);
        expect(readFileSync(join(project.folder, 'lines.txt'), 'utf8').split('\n').filter(Boolean)).toEqual(TASKS);
        for (const name of TASKS) expect(await project.read(`${name}.txt`)).toBe(`${name}\n`);
      } finally {
        await project.close();
      }
    },
  );
});
