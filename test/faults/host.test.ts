// @seconds 35
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startOf } from '../../src/workers/processes/processes.js';
import type { Project } from './project.js';
import { openProject, until } from './project.js';

const HELLO = { 'definitions/workflows/hello.yml': 'name: hello\nsteps:\n  - command: [echo, hello]\n' };

describe('the host', () => {
  it('is shared by ten first commands at the same moment, and every run succeeds', async () => {
    const project = await openProject(HELLO);
    try {
      const runs = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          project.run('run', 'definitions/workflows/hello.yml', '--id', `hello-${index}`),
        ),
      );
      expect(runs.map(({ code, stdout }) => ({ code, stdout }))).toEqual(
        runs.map(() => ({ code: 0, stdout: 'hello\n' })),
      );
      const listed = await project.run('list', '--json');
      expect((JSON.parse(listed.stdout) as { run: string }[]).map(({ run }) => run).sort()).toEqual(
        runs.map((_, index) => `hello-${index}`),
      );
    } finally {
      await project.close();
    }
  });

  it('is not needed to show a run that closed long ago, whose history is gone', async () => {
    const project = await openProject(HELLO);
    try {
      expect((await project.run('run', 'definitions/workflows/hello.yml', '--id', 'old')).code).toBe(0);
      expect((await project.run('server', 'stop')).code).toBe(0);
      for (const suffix of ['', '-wal', '-shm'])
        await rm(join(project.folder, '.perdure', `temporal.db${suffix}`), { force: true });
      const shown = await project.run('show', 'old', '--json');
      expect(JSON.parse(shown.stdout)).toMatchObject({
        run: 'old',
        status: 'success',
        output: 'hello',
        steps: [{ status: 'success', output: 'hello' }],
      });
      const joined = await project.run('run', 'definitions/workflows/hello.yml', '--id', 'old');
      expect({ code: joined.code, stdout: joined.stdout }).toEqual({ code: 0, stdout: 'hello\n' });
    } finally {
      await project.close();
    }
  });

  it('refuses the id of another run, and starts nothing', async () => {
    const project = await openProject({
      ...HELLO,
      'definitions/workflows/other.yml': 'name: other\nsteps:\n  - command: [echo, other]\n',
    });
    try {
      await project.run('run', 'definitions/workflows/hello.yml', '--id', 'mine');
      const refused = await project.run('run', 'definitions/workflows/other.yml', '--id', 'mine');
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain('mine');
    } finally {
      await project.close();
    }
  });

  it('stays for a time to pass beside an open gate, and no longer', async () => {
    const workflow = `name: pass
execution: dag
steps:
  - id: ask
    approval: Go on?
  - id: pause
    wait: 8s
  - command: [touch, passed.txt]
    needs: [pause]
`;
    const project = await openProject({ 'definitions/workflows/pass.yml': workflow }, { PERDURE_HOST_IDLE_MS: '3000' });
    try {
      const started = await project.run('run', 'definitions/workflows/pass.yml', '--id', 'pass', '--detach');
      expect(started.code, started.stderr).toBe(0);
      await until(() => existsSync(join(project.folder, 'passed.txt')));
      await until(async () => !(await isAlive(project)));
    } finally {
      await project.close();
    }
  });
});

async function isAlive(project: Project): Promise<boolean> {
  const { host } = await project.pids();
  return host !== null && (await startOf(host)) !== null;
}
