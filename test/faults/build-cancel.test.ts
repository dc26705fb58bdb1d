// @module-tag sandbox
// @module-tag git
// @seconds 30
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import { treePlaces } from '../../src/store/worktrees/places.js';
import { COUNTER_SPEC, planOf, task, taskOf, write } from '../definitions/counter-build.js';
import type { Answer, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import { openProject, until } from './project.js';

/** In the words of a command that runs until it is ended. */
const MARK = `build-cancel-${process.pid}`;
const ENDLESS = ['node', '-e', `setInterval(() => '${MARK}', 60_000)`];
const SIDE_BY_SIDE = ['Left', 'Right', 'Run'];
/**
 * What the side by side tasks are to have ended in, in milliseconds: on a machine that stands still for a while, too,
 * and long before their own time limits.
 */
const ENDED_WITHIN = 30_000;

const PLAN = planOf([
  task(1, 'Set up', 'Bo', []),
  ...SIDE_BY_SIDE.map((name, index) => task(index + 2, name, 'Bo', [1])),
  task(5, 'Test', 'Tess', [2, 3, 4]),
  task(6, 'Review', 'Rita', [5]),
]);

function answer(request: RecordedRequest): Answer {
  if (request.system.includes('You plan how')) return PLAN;
  if (!request.system.includes('of a team that builds')) return { status: 400, message: 'nobody' };
  const name = taskOf(request);
  if (name === 'Run') return { tools: [{ name: 'shell', input: { argv: ENDLESS } }] };
  if (name !== 'Set up') return { hang: true };
  return request.results.count > 0
    ? { text: 'Set up.' }
    : { tools: [write('package.json', '{}\n'), write('index.html', '<p>Soon.\n')] };
}

/** Processes of this machine that run the command. */
function running(): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(MARK);
    } catch {
      return false;
    }
  });
}

interface Told {
  kind: string;
  run: string;
  at: string;
}

it('a build that is cancelled with three calls open ends all of them, its page and its narration', async () => {
  const endpoint = await startModelEndpoint(answer);
  const spec = { ...COUNTER_SPEC, workflow: { approve_plan: false } };
  const project = await openProject(
    { 'definitions/builds/counter.yml': JSON.stringify(spec) },
    { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url },
  );
  try {
    const building = project.start('build', 'definitions/builds/counter.yml', '--id', 'stopped', '--json');
    const hung = (): RecordedRequest[] =>
      endpoint.requests.filter((request) => ['Left', 'Right'].includes(taskOf(request)));
    await until(() => endpoint.requests.length > 0);
    const watching = project.start('watch', 'stopped', '--narrate', '--json');
    await until(() => hung().length === 2 && running().length > 0);
    const opened = project.start('build', 'open', 'stopped', '--json');
    let said = '';
    opened.process.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const address = await until(() => /"address": "(http:[^"]*)"/.exec(said)?.[1]);
    expect(await (await fetch(address)).text()).toBe('<p>Soon.\n');
    const cancelled = await project.run('cancel', 'stopped');
    expect(cancelled.code, cancelled.stderr).toBe(0);
    await Promise.all(hung().map(({ abandoned }) => abandoned));
    const { code, stdout, stderr } = await building.finished;
    if (stdout === '') throw new Error(stderr);
    const result = JSON.parse(stdout) as RunResult;
    expect({ code, status: result.status }, stderr).toEqual({ code: 1, status: 'cancelled' });
    expect(running()).toEqual([]);
    expect(await opened.finished).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('`stopped` was cancelled: its page is served no more.') as string,
    });
    await expect(fetch(address)).rejects.toThrow();

    const spent = Object.values(result.costs?.tasks ?? {}).reduce((sum, { tokens }) => sum + tokens, 0);
    expect(result.spend.tokens).toBe(spent);
    expect(result.costs?.tasks).toHaveProperty('task-4');

    const told = JSON.parse((await watching.finished).stdout) as Told[];
    const own = told.filter(({ run }) => run === 'stopped');
    const at = (kind: string): number => Date.parse(own.find((one) => one.kind === kind)?.at ?? '');
    expect(at('run-ended') - at('cancel-requested')).toBeLessThan(ENDED_WITHIN);
    const end = told.findIndex(({ kind, run }) => kind === 'run-ended' && run === 'stopped');
    expect(told.slice(end + 1).filter(({ kind }) => ['message', 'lesson'].includes(kind))).toEqual([]);

    const { tree } = treePlaces(join(project.folder, '.perdure'), 'stopped');
    expect(readFileSync(join(tree('main'), 'package.json'), 'utf8')).toBe('{}\n');
    const shown = await project.run('workspace', 'show', 'stopped');
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toContain('package.json');
  } finally {
    await project.close();
    await endpoint.close();
  }
});
