// @seconds 25
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decision, Gate } from '../../src/plan/gates/gate.js';
import { DECIDE, INTERPRETER, MEMO } from '../../src/plan/names.js';
import type { RunResult } from '../../src/plan/result.js';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';
import type { Outsider } from './connect.js';
import { connect } from './connect.js';

const GATED = `name: gated
steps:
  - id: text
    command: [seq, "400"]
  - id: ok
    approval: "Save this?"
    content: "\${steps.text.output}"
  - id: lines
    command: [wc, -l]
    stdin: "\${steps.ok.output}"
`;
const MEBIBYTE = 1024 * 1024;

let project: Project;
let outsider: Outsider;
beforeAll(async () => {
  project = await openProject({ 'gated.yml': GATED });
  await project.run('server', 'start');
  outsider = await connect(project);
});
afterAll(async () => {
  await outsider.close();
  await project.close();
});

/** A run that waits at its gate, as an outsider sees it. */
async function waiting(run: string): Promise<{ handle: WorkflowHandle; gate: Gate }> {
  expect((await project.run('run', 'gated.yml', '--id', run, '--no-wait')).code).toBe(4);
  const handle = outsider.client.workflow.getHandle(run);
  return { handle, gate: await openGate(handle) };
}

/** The gate in the run's memo; there is exactly one. */
function openGate(handle: WorkflowHandle): Promise<Gate> {
  return until(async () => ((await handle.describe()).memo?.[MEMO.waiting] as Gate[] | undefined)?.[0]);
}

function decide(handle: WorkflowHandle, decision: unknown): Promise<unknown> {
  return handle.executeUpdate(DECIDE, { args: [decision] });
}

/** What the run itself said when it refused an update. */
async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkflowUpdateFailedError)) throw new Error('The run did not refuse', { cause: error });
  return error.cause?.message ?? '';
}

/** The run goes on as if nothing had been: its gate is open with the same hash, and an honest decision ends it. */
async function expectUnharmed(run: string, handle: WorkflowHandle, gate: Gate): Promise<void> {
  expect(await openGate(handle)).toEqual(gate);
  expect((await project.run('approve', `${run}/ok`, '--as', 'ana')).code).toBe(0);
  const watched = await project.run('watch', run);
  expect(watched.code, watched.stderr).toBe(0);
  expect(watched.stdout.trim()).toBe('399');
  const shown = JSON.parse((await project.run('show', run, '--json')).stdout) as RunResult;
  expect(shown.steps[1]).toMatchObject({ note: 'approved by ana' });
}

describe('messages from anybody on this machine', () => {
  it('forged decisions are refused with the reason, by update and by signal, and the gate stays open', async () => {
    const { handle, gate } = await waiting('forged');
    const honest: Decision = { gate: 'ok', decision: 'approve', hash: gate.hash, by: 'eve' };
    const forged: unknown[] = [
      { ...honest, hash: `sha256:${'0'.repeat(64)}` },
      { ...honest, gate: 'text' },
      { ...honest, gate: '__proto__' },
      { ...honest, gate: 'other/ok' },
    ];
    const malformed: unknown[] = [
      null,
      7,
      'approve',
      [],
      [honest],
      {},
      { ...honest, decision: 'APPROVE' },
      { ...honest, hash: 1 },
      { ...honest, by: '' },
      { ...honest, by: null },
      { ...honest, gate: ['ok'] },
      { ...honest, comment: { a: 1 } },
      { ...honest, comment: 'x'.repeat(64 * 1024) },
      { ...honest, by: 'x'.repeat(64 * 1024) },
    ];
    for (const decision of forged) {
      expect(await refusal(decide(handle, decision))).toMatch(/shows other content|No gate/);
      await handle.signal(DECIDE, decision);
    }
    for (const decision of malformed) {
      expect(await refusal(decide(handle, decision))).toContain('Expected a decision');
      await handle.signal(DECIDE, decision);
    }
    expect(await refusal(handle.executeUpdate(DECIDE, { args: [] }))).toContain('Expected a decision');
    await expectUnharmed('forged', handle, gate);
  });

  it('a decision for one run decides nothing in another, nor again in its own', async () => {
    const first = await waiting('first');
    const second = await waiting('second');
    const decision: Decision = { gate: 'ok', decision: 'approve', hash: first.gate.hash, by: 'ana' };
    await decide(first.handle, decision);
    await expect(decide(first.handle, { ...decision, decision: 'reject' })).rejects.toThrow();
    await first.handle.result();
    await expect(first.handle.signal(DECIDE, decision)).rejects.toThrow();
    await expectUnharmed('second', second.handle, second.gate);
  });

  it(
    "with `approvals.require_token` only the command line on the store's machine decides, or what it prints; its " +
      "key is its owner's",
    async () => {
      await writeFile(join(project.folder, 'perdure.yml'), 'approvals: {require_token: true}\n');
      const { handle, gate } = await waiting('tokens');
      await writeFile(join(project.folder, 'perdure.yml'), '{}\n');
      expect(await refusal(decide(handle, { gate: 'ok', decision: 'approve', hash: gate.hash, by: 'eve' }))).toContain(
        'wants a token with each decision',
      );
      const printed = await project.run('approve', 'tokens/ok', '--as', 'ana', '--print');
      const decision = JSON.parse(printed.stdout) as Decision;
      expect(printed).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/Nothing was sent.*valid for an hour/) as string,
      });
      expect(await refusal(decide(handle, { ...decision, by: 'eve' }))).toContain('a token for another decision');
      expect((await stat(join(project.folder, '.perdure', 'approval.key'))).mode & 0o777).toBe(0o600);
      await handle.signal(DECIDE, { ...decision, token: 'x.x' });
      await expectUnharmed('tokens', handle, gate);
      expect(JSON.stringify(await handle.fetchHistory())).not.toContain(
        (await project.read('.perdure/approval.key')).trim(),
      );
    },
  );

  it('3 MB in an update or a signal is refused, by the server or by the run, which lives on', async () => {
    const { handle, gate } = await waiting('big');
    const huge = { gate: 'ok', decision: 'approve', hash: 'x'.repeat(3 * MEBIBYTE), by: 'eve' };
    await expect(decide(handle, huge)).rejects.toThrow();
    await expect(handle.signal(DECIDE, huge)).rejects.toThrow('Failed to signal');
    expect(await refusal(decide(handle, { ...huge, hash: 'x'.repeat(1.5 * MEBIBYTE) }))).toContain(
      'Expected a decision',
    );
    await handle.signal(DECIDE, 'x'.repeat(MEBIBYTE));
    await expectUnharmed('big', handle, gate);
  });

  it('many mebibytes of such signals make the run continue as new, and its whole history is still read', async () => {
    const { handle, gate } = await waiting('swollen');
    const { runId } = await handle.describe();
    await Promise.all(Array.from({ length: 8 }, () => handle.signal(DECIDE, 'x'.repeat(1.9 * MEBIBYTE))));
    // The size that a workflow task is told may lack what came while the one before ran: the next task is told.
    await until(async () => {
      if ((await handle.describe()).runId !== runId) return true;
      await handle.signal('stranger', '');
      return false;
    });
    await expectUnharmed('swollen', handle, gate);
  });

  it('signals, updates and queries of other names change nothing', async () => {
    const { handle, gate } = await waiting('named');
    for (let index = 0; index < 100; index++) await handle.signal(index % 2 === 0 ? 'approve' : '__proto__', { index });
    expect(await refusal(handle.executeUpdate('approve', { args: [] }))).toContain('No registered handler');
    await expect(handle.query('secrets')).rejects.toThrow('did not register a handler');
    await expectUnharmed('named', handle, gate);
  });

  it('workflows that others start under our name, with their ids and memos, harm neither lists nor runs', async () => {
    const { handle, gate } = await waiting('honest');
    const workflowId = 'evil\u001b[31m\u009b2J/../\n\u202ex';
    const memos: unknown[] = [
      'text',
      ['text', null, 7],
      [{ path: '\u001b]0;evil\u0007', message: '\u001b[2J', hash: 'x', since: 'never' }],
      [{ path: 'ok' }],
      { length: 3 },
    ];
    for (const [index, memo] of memos.entries()) {
      await outsider.client.workflow.start(INTERPRETER, {
        workflowId: `${workflowId}${index}`,
        taskQueue: 'nobody',
        memo: { [MEMO.waiting]: memo, [MEMO.definition]: { a: 1 } },
      });
      await outsider.client.workflow.start(INTERPRETER, {
        workflowId: `evil\u001b[31m${index}`,
        taskQueue: 'nobody',
        memo: { [MEMO.waiting]: memo, [MEMO.submittedBy]: '\u001b[31m' },
      });
      // One that has an id of ours is a row; what has another is no run.
      await outsider.client.workflow.start(INTERPRETER, {
        workflowId: `evil-${index}`,
        taskQueue: 'nobody',
        memo: { [MEMO.waiting]: memo, [MEMO.submittedBy]: '\u001b[31m', [MEMO.definition]: '\u001b[2J\u202e' },
      });
    }
    const listed = await until(async () => {
      const finished = await project.run('list');
      return finished.code !== 0 || finished.stdout.includes(`evil-${memos.length - 1}`) ? finished : null;
    });
    expect(listed.stdout.match(/evil[^ ]*/g)?.sort()).toEqual(memos.map((_, index) => `evil-${index}`));
    const gates = await project.run('list', '--waiting');
    for (const { code, stdout, stderr } of [listed, gates]) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      // eslint-disable-next-line no-control-regex -- these characters are what must not be there
      expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    }
    expect(gates.stdout).toContain('honest/ok');
    expect((await project.run('show', 'evil\u001b[31m0')).code).not.toBe(0);
    await expectUnharmed('honest', handle, gate);
  });

  it('gates of theirs that a shell would act on are not among what it completes', async () => {
    const { handle, gate } = await waiting('completed');
    const asked = { message: 'x', content: null, hash: 'x', since: '2000-01-01T00:00:00.000Z' };
    await outsider.client.workflow.start(INTERPRETER, {
      workflowId: 'strange',
      taskQueue: 'nobody',
      memo: { [MEMO.waiting]: ['$(touch pwned)', 'a\nb', 'a b', 'plain'].map((path) => ({ ...asked, path })) },
    });
    const lines = await until(async () => {
      const { stdout } = await project.run('completion', 'gates');
      return stdout.includes('strange/plain') ? stdout.split('\n') : null;
    });
    expect(lines.filter((line) => /^strange|^b$|pwned/.test(line))).toEqual(['strange/plain']);
    expect(lines).toContain('completed/ok');
    await expectUnharmed('completed', handle, gate);
  });

  it('input that is no input of ours ends a run with one clear failure, not with retries for ever', async () => {
    for (const [index, args] of [
      [],
      [null],
      [7],
      [{}],
      [{ plan: 1 }],
      [{ plan: { hash: 'x' }, settings: {} }],
    ].entries()) {
      const handle = await outsider.client.workflow.start(INTERPRETER, {
        workflowId: `no-input-${index}`,
        taskQueue: outsider.taskQueue,
        args,
      });
      await expect(handle.result(), JSON.stringify(args)).rejects.toThrow();
    }
  });
});
