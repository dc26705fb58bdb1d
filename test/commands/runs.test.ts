// @seconds 35
import { appendFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/plan/values/json.js';
import type { RunResult } from '../../src/plan/result.js';
import type { Finished, Project, Running } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';
import { FULL } from '../faults/seed.js';

const GATED = `name: gated
inputs:
  name: {type: string, default: World}
steps:
  - id: greeting
    command: [printf, "Hello, %s!\\nsecond line", "\${name}"]
  - id: inner
    workflow: asks
    inputs: {text: "\${steps.greeting.output}"}
output: "\${steps.inner.output}"
`;
const ASKS = `name: asks
inputs:
  text: {type: string, required: true}
steps:
  - id: ok
    approval: "Use this?"
    content: "\${text}"
  - id: use
    command: [cat]
    stdin: "\${steps.ok.output}"
output: "\${steps.use.output}"
`;
/** All that fails in it has written nothing. */
const QUIET = `name: quiet
steps:
  - {id: some, foreach: [0, 1], command: [sh, -c, 'exit $0', "\${item}"], on_error: continue}
  - {id: last, command: ["false"]}
`;
const SAYS = 'name: says\nsteps:\n  - {wait: 1s}\n  - {id: hello, foreach: [1, 2], command: [echo, hello]}\n';
const FAILS = 'name: fails\nsteps:\n  - id: broken\n    command: [sh, -c, "echo what went wrong >&2; exit 3"]\n';
const SLOW = 'name: slow\nsteps:\n  - id: sleep\n    command: [sh, -c, "echo started; sleep 600"]\n';

let project: Project;
beforeAll(async () => {
  project = await openProject({
    'definitions/workflows/asks.yml': ASKS,
    'gated.yml': GATED,
    'fails.yml': FAILS,
    'slow.yml': SLOW,
    'quiet.yml': QUIET,
    'says.yml': SAYS,
    'around.yml': 'name: around\nsteps:\n  - {id: inner, workflow: quiet.yml}\n',
  });
});
afterAll(() => project.close());

const json = async <T = Json>(...args: string[]): Promise<T> =>
  JSON.parse((await project.run(...args, '--json')).stdout) as T;

describe('run', () => {
  it('is the same document by `run --json` and by `show --json`', async () => {
    const run = await project.run('run', 'says.yml', '--id', 'says', '--json');
    expect(run.code).toBe(0);
    const { steps, ...told } = JSON.parse(run.stdout) as RunResult;
    expect({ ...told, steps }).toEqual(await json('show', 'says'));
    expect(steps[1]).toMatchObject({ id: 'hello', duration_ms: expect.any(Number) as number });
  });

  it('prints the result alone on stdout, and the tree as plain lines on stderr', async () => {
    const { code, stdout, stderr } = await project.run('run', 'gated.yml', '-i', 'name=Ana', '--yes');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello, Ana!\nsecond line\n' });
    expect(stderr).toMatch(/^✓ greeting {2}command {2}printf /m);
    expect(stderr).toMatch(/^✓ inner\/use {2}command {2}cat {2}/m);
    expect(stderr).toMatch(/^✓ gated · success in .* · 3 steps$/m);
    // eslint-disable-next-line no-control-regex -- the escape character is what must not be there
    expect(stderr).not.toMatch(/\u001b/);
  });

  it('gives one RunResult with --json, values inlined, nested steps below their step', async () => {
    const result = await json<RunResult>(
      'run',
      'gated.yml',
      '--yes',
      '--id',
      'as-json',
      '--as',
      'ana',
      '--max-steps',
      '7',
    );
    expect(result).toMatchObject({
      run: 'as-json',
      status: 'success',
      output: 'Hello, World!\nsecond line',
      error: null,
      rehearsal: false,
      spend: { steps: 3, usd: 0 },
      budget: { max_steps: 7, steps_remaining: 4, parallel_slots: 10 },
      steps: [
        { id: 'greeting', status: 'success', kind: 'command' },
        {
          id: 'inner',
          run: 'as-json/inner',
          steps: [{ path: 'inner/ok', note: 'approved by ana: by --yes' }, { path: 'inner/use' }],
        },
      ],
    });
  });

  it('says what failed in its own words, how to see more, and ends with 1', async () => {
    const { code, stdout, stderr } = await project.run('run', 'fails.yml', '--id', 'failed');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('what went wrong');
    expect(stderr).toContain('perdure logs failed broken');
  });

  it('tells of a step that has written nothing that it has not, as it offers to', async () => {
    const { stderr } = await project.run('run', 'around.yml', '--id', 'silent');
    const offered = /perdure (logs silent \S+)/.exec(stderr)?.[1] ?? '';
    expect(offered).toBe('logs silent inner/some/1');
    for (const args of [offered.split(' '), ['logs', 'silent', 'inner/last'], ['logs', 'silent/inner', 'some']])
      expect(await project.run(...args)).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringContaining('Nothing was written.') as string,
      });
    const none = await project.run('logs', 'silent', 'inner/som');
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('has no log of a step') as string });
  });

  it('with the same id, plan and input joins, closed or not; with another input it refuses', async () => {
    await project.run('run', 'gated.yml', '--yes', '--id', 'once');
    const again = await project.run('run', 'gated.yml', '--id', 'once');
    expect(again).toMatchObject({ code: 0, stdout: 'Hello, World!\nsecond line\n' });
    expect(again.stderr).toContain('gated · joined run once, 3 steps done before, none is repeated');
    const other = await project.run('run', 'gated.yml', '-i', 'name=Bob', '--id', 'once');
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('There is a run `once` already, with another input.');
  });

  it('refuses the id of a rehearsal, open or closed, for a run that is none, and the other way round', async () => {
    await project.run('run', 'gated.yml', '--yes', '--id', 'rehearsed', '--rehearse');
    await project.run('run', 'gated.yml', '--id', 'rehearsing', '--rehearse', '--detach');
    await project.run('run', 'says.yml', '--id', 'earnest');
    for (const [id, file, ...more] of [
      ['rehearsed', 'gated.yml'],
      ['rehearsing', 'gated.yml'],
      ['earnest', 'says.yml', '--rehearse'],
    ] as const) {
      const word = more.length === 0 ? 'and it is a rehearsal' : 'and it is no rehearsal';
      const { code, stderr } = await project.run('run', file, '--id', id, '--detach', ...more);
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`There is a run \`${id}\` already, ${word}`) as string,
      });
    }
    expect(await project.run('run', 'says.yml', '--id', 'earnest')).toMatchObject({ code: 0 });
    await project.run('cancel', 'rehearsing');
  });

  it('detached it prints the id alone', async () => {
    const { code, stdout } = await project.run('run', 'gated.yml', '--id', 'left', '--detach');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'left\n' });
    await project.run('cancel', 'left');
    await project.run('watch', 'left');
  });
});

describe('a gate', () => {
  const waiting = async (id: string): Promise<void> => {
    expect((await project.run('run', 'gated.yml', '--id', id, '--no-wait')).code).toBe(4);
  };

  it('is listed with the command that answers it, approved by its run, and shows what it approves', async () => {
    await waiting('asked');
    const gates = await until(async () => {
      const listed = await json<{ gate: string }[]>('list', '--waiting');
      return listed.length > 0 ? listed : null;
    });
    expect(gates).toMatchObject([
      { gate: 'asked/inner/ok', message: 'Use this?', content: 'Hello, World!\nsecond line' },
    ]);
    expect(await json('list', '--status', 'waiting')).toMatchObject([{ run: 'asked', definition: 'gated' }]);
    const approved = await project.run('approve', 'asked', '--json', '--as', 'ana');
    expect(JSON.parse(approved.stdout)).toEqual({
      run: 'asked',
      gate: 'asked/inner/ok',
      decision: 'approve',
      by: 'ana',
    });
    expect(approved.stderr).toContain('│ second line');
    expect((await project.run('watch', 'asked')).stdout).toBe('Hello, World!\nsecond line\n');
  });

  it.each(FULL ? [['walk-1', 'walk-2']] : [])(
    'is walked to from the list, the longest waiting first, until nothing waits: %s, %s',
    async (...ids) => {
      for (const id of ids) await waiting(id);
      const listed = (): Promise<{ gate: string; command: string }[]> => json('list', '--waiting');
      const decided: string[] = [];
      for (let count = ids.length; count > 0; count--) {
        const [next] = await until(async () => {
          const gates = (await listed()).filter(({ gate }) => gate.startsWith('walk-'));
          return gates.length === count && gates;
        });
        const [program, ...args] = (next?.command ?? '').split(' ');
        expect([program, args[0]]).toEqual(['perdure', 'approve']);
        expect((await project.run(...args)).code).toBe(0);
        decided.push(next?.gate ?? '');
      }
      expect(decided).toEqual(['walk-1/inner/ok', 'walk-2/inner/ok']);
    },
  );

  it('is rejected with a reason, which is what the run failed of', async () => {
    await waiting('refused');
    expect((await project.run('reject', 'refused/inner/ok', '--comment', 'not now', '--as', 'bob')).code).toBe(0);
    const { code, stderr } = await project.run('watch', 'refused');
    expect(code).toBe(1);
    expect(stderr).toContain('rejected by bob: not now');
    expect(await project.run('approve', 'refused')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has ended') as string,
    });
  });

  it('that is not open is refused with what is', async () => {
    await waiting('other');
    const { code, stderr } = await project.run('approve', 'other/none');
    expect(code).toBe(1);
    expect(stderr).toContain('No gate is open at `other/none`.');
    expect(stderr).toContain('other/inner/ok');
    await project.run('cancel', 'other');
  });
});

describe('a run that goes on', () => {
  it('is left by Ctrl-C with the way back, and can be cancelled from elsewhere', async () => {
    const running = project.start('run', 'slow.yml', '--id', 'slow');
    await until(async () => (await project.run('logs', 'slow', 'sleep')).stdout.includes('started'));
    running.process.kill('SIGINT');
    expect(await running.finished).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('perdure watch slow') as string,
    });
    expect(await json('show', 'slow')).toMatchObject({
      status: 'running',
      ended_at: null,
      steps: [{ id: 'sleep', status: 'running' }],
    });
    const watching = project.start('watch', 'slow', '--json');
    expect((await project.run('cancel', 'slow')).code).toBe(0);
    const { code, stdout } = await watching.finished;
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as { kind: string }[]).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['run-started', 'step-started', 'cancel-requested', 'run-ended']),
    );
    expect(await json('show', 'slow')).toMatchObject({ status: 'cancelled' });
    expect(await project.run('cancel', 'slow')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is cancelled already') as string,
    });
  });

  it('is cancelled by a second Ctrl-C in time', async () => {
    const interrupted = ({ process, finished }: Running): Promise<Finished> => {
      process.stderr?.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('again within')) process.kill('SIGINT');
      });
      process.kill('SIGINT');
      return finished;
    };
    const running = project.start('run', 'slow.yml', '--id', 'twice');
    await until(async () => (await project.run('logs', 'twice', 'sleep')).stdout.includes('started'));
    let ended = await interrupted(running);
    // On a busy machine the second may come too late: then the run is left, and can be watched and cancelled again.
    while (!ended.stderr.includes('Cancelling')) {
      const watching = project.start('watch', 'twice');
      await new Promise((resolve) => watching.process.stderr?.once('data', resolve));
      ended = await interrupted(watching);
    }
    expect(ended).toMatchObject({ code: 130, stderr: expect.stringContaining('Cancelling `twice`') as string });
    expect((await project.run('watch', 'twice')).code).toBe(1);
  });
});

describe('a run that closed', () => {
  it('is shown, listed and logged by the store alone, without the server and its history', async () => {
    await project.run('run', 'gated.yml', '--yes', '--id', 'kept');
    const before = await project.run('show', 'kept');
    await project.run('server', 'stop');
    await rm(join(project.folder, '.perdure', 'temporal.db'), { force: true });
    expect(await project.run('show', 'kept')).toEqual(before);
    expect(before.stdout).toMatch(/✓ 1 inner .*\n {4}✓ 0 ok .*gate/);
    expect((await project.run('logs', 'kept', 'inner/use')).stdout).toContain('second line');
    expect(await json<{ run: string }[]>('list')).toContainEqual(
      expect.objectContaining({ run: 'kept', status: 'success' }),
    );
    expect((await project.run('server', 'status')).code).toBe(3);
  });

  it('is joined by the same definition, whatever its comments say', async () => {
    appendFileSync(join(project.folder, 'gated.yml'), '# a comment changes no plan\n');
    expect((await project.run('run', 'gated.yml', '--id', 'kept')).code).toBe(0);
  });
});
