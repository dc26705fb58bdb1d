// @module-tag git
// @seconds 25
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Finished, Project } from '../faults/project.js';
import { MAIN, openProject } from '../faults/project.js';

/*
 * Whatever command a screen offers for a run is taken in the state in which that run is: those of the run's own
 * screens, and of all that these lead to which only show something.
 */

const WAITS =
  'name: waits\nworkspace: worktree\nsteps:\n' +
  "  - {id: make, command: [sh, -c, 'echo new > new.txt']}\n  - {id: go, ask: Go on?}\n";
const FAILS = 'name: fails\nsteps:\n  - {id: below, workflow: inner}\n';
const INNER = "name: inner\nsteps:\n  - {id: bad, command: [sh, -c, 'echo no; exit 1']}\n";
const SHOWS = /^(show|watch|logs|workspace show)\b/;

let project: Project;
beforeAll(async () => {
  project = await openProject({
    '.gitignore': '.perdure\nbin\n',
    'my waits.yml': WAITS,
    'fails.yml': FAILS,
    'definitions/workflows/inner.yml': INNER,
  });
  mkdirSync(join(project.folder, 'bin'));
  const shim = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
  writeFileSync(join(project.folder, 'bin/perdure'), shim, { mode: 0o755 });
  const git = (...words: string[]): Buffer => execFileSync('git', words, { cwd: project.folder });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', 'commit', '-q', '-m', 'Begin');
  expect((await project.run('run', 'fails.yml', '--id', 'failed')).code).toBe(1);
  for (const run of ['gone', 'cut', 'held'])
    expect((await project.run('run', 'my waits.yml', '--id', run, '--no-wait')).code).toBe(4);
  await project.run('cancel', 'gone');
  await project.run('pause', 'held');
  const { address } = JSON.parse((await project.run('server', 'status', '--json')).stdout) as { address: string };
  const connection = await Connection.connect({ address });
  await new Client({ connection }).workflow.getHandle('cut').terminate('by hand');
  await connection.close();
});
afterAll(() => project.close());

/** Types a command as people do, who do not stay where nobody decides. */
const type = (words: string): Promise<Finished> =>
  new Promise((resolve) => {
    const PATH = `${join(project.folder, 'bin')}:${process.env['PATH'] ?? ''}`;
    const options = { cwd: project.folder, env: { ...process.env, PATH } };
    const child = execFile(
      'sh',
      ['-c', `perdure ${words}${/^(run|rerun|watch)\b/.test(words) ? ' --no-wait' : ''}`],
      options,
      (_error, stdout, stderr) =>
        resolve({
          code: child.exitCode,
          signal: child.signalCode,
          stdout,
          stderr,
        }),
    );
  });

/** The commands that a screen has in lines of their own, and between backquotes. */
function offeredOn(screen: string): string[] {
  const lines = [...screen.matchAll(/^ {2}perdure (.+?)(?: {2,}.*| {4}#.*)?$/gm)];
  const quoted = [...screen.matchAll(/`perdure ([^`]+)`/g)];
  return [...lines, ...quoted].map(([, words = '']) => words.replace(/ …$/, ''));
}

it.each([
  ['failed', ['logs failed below/bad', 'rerun failed']],
  ['failed/below', ['logs failed below/bad']],
  ['gone', ['rerun gone', 'workspace apply gone']],
  ['cut', ["run 'my waits.yml'", 'workspace diff cut | git apply']],
  ['held', ['resume held', 'answer held/go "your answer"']],
])('what screens offer for `%s` is taken', async (run, expected) => {
  const seen = new Set([`show ${run}`, `watch ${run}`]);
  const refused: string[] = [];
  for (const words of seen) {
    const { code, stdout, stderr } = await type(words);
    if (code === 2 || code === 3 || /^Error: /m.test(stderr)) refused.push(`${words}: ${stderr}`);
    if (SHOWS.test(words)) for (const offered of offeredOn(`${stdout}\n${stderr}`)) seen.add(offered);
  }
  expect(refused).toEqual([]);
  expect([...seen]).toEqual(expect.arrayContaining(expected));
});
