import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { killTagged, listTagged } from '../../../src/activities/processes/tagged-processes.js';
import type { ProgramName } from '../../../src/plan/agents/program.js';
import { shortCall } from '../../../src/plan/calls/short-call.js';
import { failureOf, read, readLog } from '../../activities/helpers/harness.js';
import type { ProgramAnswer } from '../../fakes/program-endpoint.js';
import { until } from '../../faults/project.js';
import { drawn, openPrograms, playStep, programCall } from './bench.js';

const DIST = fileURLToPath(new URL('../../../dist', import.meta.url));

/** A worker that does one activity and then waits to be killed. */
const WORKER = `
import { MockActivityEnvironment } from '@temporalio/testing';
const { dist, store: folder, call, credentials } = JSON.parse(process.argv[1]);
const { openStore } = await import(dist + '/store/local-store.js');
const { createActivities } = await import(dist + '/activities/create-activities.js');
const store = await openStore(folder);
const { runProgram } = createActivities({ store, credentials: () => credentials });
await new MockActivityEnvironment({ scheduledTimestampMs: Date.now() }).run(runProgram, call);
`;

/** A call of one of the program's own tools that does nothing. */
const IDLE: Record<ProgramName, ProgramAnswer> = {
  claude: { tool: 'Glob', input: { pattern: '*.none' } },
  codex: { tool: 'exec_command', input: { cmd: 'true' } },
  gemini: { tool: 'list_directory', input: { dir_path: '.' } },
};

/** Whether a program has a session on disk that tells of a text. */
async function isKept(home: string, text: string): Promise<boolean> {
  const files = (await readdir(home, { recursive: true })).filter((file) =>
    /(?:projects|sessions|chats)\/.*\.jsonl?$/.test(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(home, file), 'utf8').catch(() => '')));
  return texts.some((kept) => kept.includes(text));
}

describe.each(drawn('lifetime'))('%s', (program) => {
  it('is cancelled in the middle of an answer: nothing of it is alive', async () => {
    const bench = await openPrograms(() => ({ hang: true }));
    const playing = playStep(bench, program);
    const request = await bench.endpoint.arrival(1);
    expect((await listTagged()).filter(({ tag }) => tag.worker === process.pid)).not.toEqual([]);
    bench.temporal.cancel('CANCELLED');
    await expect(playing).rejects.toThrow();
    await request.abandoned;
    expect((await listTagged()).filter(({ tag }) => tag.worker === process.pid)).toEqual([]);
  });

  it('goes on in its own session after its worker was killed, and is told the task again', async () => {
    let answer: ProgramAnswer = { hang: true };
    const bench = await openPrograms(({ call }) => (call === 1 ? IDLE[program] : answer));
    const call = await programCall(bench, program, { prompt: 'Count to three.' });
    const given = JSON.stringify({
      dist: DIST,
      store: `${bench.folder}/.perdure`,
      // As history has it.
      call: shortCall(call, { workflowId: '', runId: '', activityId: null }),
      credentials: bench.environment,
    });
    const worker = spawn(process.execPath, ['--input-type=module', '-e', WORKER, given], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      env: { ...process.env, ...bench.environment },
      stdio: 'ignore',
    });
    await bench.endpoint.arrival(2);
    // Programs write their sessions a little later; one that is not there yet cannot go on.
    await until(() => isKept(bench.home, 'Count to three.'));
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    // What the watchdog of a real worker does.
    await killTagged(({ tag }) => tag.worker === worker.pid);
    answer = { text: 'One, two, three.' };
    const result = await playStep(bench, program, { prompt: 'Count to three.' });
    expect(await read(bench, result.output)).toBe('One, two, three.');
    expect((await readLog(bench)).map(({ text }) => text).join('\n')).toContain('resumes session');
    const last = bench.endpoint.requests.at(-1)?.text ?? '';
    expect(last).toContain('You were interrupted');
    expect(last).toContain('Count to three.');
  });

  it('comes to no answer within `max_turns`: that is a failure of its own kind', async () => {
    const bench = await openPrograms(() => IDLE[program]);
    const failure = await failureOf(playStep(bench, program, { agentFields: { max_turns: 2 } }));
    expect(failure).toMatchObject({ type: 'turns-exceeded', nonRetryable: true });
    expect(bench.endpoint.requests.length).toBeLessThanOrEqual(4);
  });

  it('is told of its attempt before where that came to nothing', async () => {
    let answer = IDLE[program];
    const bench = await openPrograms(() => answer);
    const step = { agentFields: { max_turns: 2 }, retry: { attempts: 2, backoff_ms: 10, anew: true as const } };
    const failure = await failureOf(playStep(bench, program, step));
    answer = { text: 'Done.' };
    const before = { failure: { type: 'turns-exceeded' as const, message: failure.message } };
    const result = await playStep(bench, program, { ...step, call: { try: 2, before } });
    expect(await read(bench, result.output)).toBe('Done.');
    const last = bench.endpoint.requests.at(-1)?.text ?? '';
    expect(last).toContain('## Your attempt before this one');
    expect(last).toContain('max_turns');
  });
});
