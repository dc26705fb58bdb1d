// @module-tag sandbox
// @module-tag git
// @seconds 40
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { treePlaces } from '../../src/store/worktrees/places.js';
import type { RunResult } from '../../src/plan/result.js';
import { COUNTER, COUNTER_SPEC, mendCounter, team } from '../definitions/counter-build.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import { kill, openProject } from './project.js';
import { FULL, random } from './seed.js';

/** Requests of this build: the plan, three tasks with two each, two reviews, and two times mending. */
const REQUESTS = 13;
const MOMENTS = Array.from({ length: REQUESTS }, (_, index) => index + 1);
const drawn = MOMENTS[Math.floor(random('build kill')() * REQUESTS)] ?? 1;

it.each(FULL ? MOMENTS : [drawn])(
  'a build whose host, server and command line are killed at request %i ends well, and asks one question more at most',
  async (moment) => {
    const voices = team(1, mendCounter);
    const endpoint = await startModelEndpoint((request) => {
      const voice = Object.keys(voices).find((words) => request.system.includes(words));
      return (voice === undefined ? undefined : voices[voice]?.(request)) ?? { status: 400, message: 'nobody' };
    });
    const project = await openProject(
      {
        'definitions/builds/counter.yml': JSON.stringify({ ...COUNTER_SPEC, workflow: { approve_plan: false } }),
      },
      { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url },
    );
    try {
      const first = project.start('build', 'definitions/builds/counter.yml', '--id', 'killed', '--json');
      await endpoint.arrival(moment);
      const { host, server } = await project.pids();
      for (const pid of [host, server, first.process.pid ?? null]) if (pid !== null) kill(pid);
      await first.finished;
      const { code, stdout, stderr } = await project.run(
        ...['build', 'definitions/builds/counter.yml', '--id', 'killed', '--json'],
      );
      if (stdout === '') throw new Error(stderr);
      const result = JSON.parse(stdout) as RunResult;
      expect({ code, status: result.status, error: result.error }, stderr).toEqual({
        code: 0,
        status: 'success',
        error: null,
      });
      expect(result.output).toMatchObject({ tests: { ok: true, passed: 1, failed: 0 } });
      const { tree, git } = treePlaces(join(project.folder, '.perdure'), 'killed');
      expect(readFileSync(join(tree('main'), 'counter.js'), 'utf8')).toBe(COUNTER(1));
      const inRepository = (...words: string[]): string =>
        execFileSync('git', ['--git-dir', git, ...words], { encoding: 'utf8' });
      // A rejection that nobody heard is not said again: the script counts what it was asked.
      const isMended = endpoint.requests.some(({ messages, prompt }) =>
        (messages[0]?.text ?? prompt).startsWith('# Mend what the review found'),
      );
      expect(inRepository('log', '--reverse', '--format=%s', 'HEAD', '--').trim().split('\n')).toEqual([
        'Files as they were when the run began',
        'Bo: Set up',
        'Bo: Count',
        'Tess: Test',
        ...(isMended ? ['Bo: mend what was found by: Review'] : []),
        'Bo: make the tests pass',
      ]);
      expect(inRepository('fsck', '--no-dangling')).toBe('');
      const context = readFileSync(join(tree('main'), '.elisa/context/nugget_context.md'), 'utf8');
      for (const task of ['task-1', 'task-2', 'task-3', 'task-4']) expect(context).toContain(`## ${task}`);
      expect(endpoint.requests.length).toBeLessThanOrEqual(REQUESTS + 1);
    } finally {
      await project.close();
      await endpoint.close();
    }
  },
);
