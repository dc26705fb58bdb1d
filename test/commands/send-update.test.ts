import { describe, expect, it, onTestFinished } from 'vitest';
import { decide } from '../../src/cli/follow/decide.js';
import { grpcTrouble } from '../../src/cli/grpc.js';
import { plan } from '../plan/helpers/build-plan.js';
import { approval, createPeople } from '../workflows/helpers/gate-setting.js';
import { harnessOfFile } from '../workflows/helpers/harness.js';

const harness = await harnessOfFile();
const people = createPeople(harness);
const { client } = harness;

/** `COMMAND_TYPE_START_TIMER`: the server fails the task of whoever says so. */
const TIMER_WITHOUT_ID = { commandType: 3, startTimerCommandAttributes: {} };

/** Works on one task of a queue as a worker would whose answer the server cannot use. */
async function answerBadly(taskQueue: string): Promise<void> {
  const { workflowService, connection } = client;
  const identity = 'bad';
  const poll = () =>
    workflowService.pollWorkflowTaskQueue({ namespace: 'default', taskQueue: { name: taskQueue }, identity });
  for (;;) {
    const { taskToken, messages } = await connection.withDeadline(Date.now() + 60_000, poll);
    if ((messages ?? []).length === 0) continue;
    const answer = { taskToken, identity, namespace: 'default', commands: [TIMER_WITHOUT_ID] };
    const refused: unknown = await workflowService
      .respondWorkflowTaskCompleted(answer)
      .catch((error: unknown) => error);
    // Where the answer came too late, the task comes again.
    if (grpcTrouble(refused) !== 'not-found') return;
  }
}

describe('a decision that a failing workflow task takes along', () => {
  it('is sent once more, and taken once', async () => {
    const leave = await harness.work('shaky');
    const handle = await harness.start(plan([approval(0, { id: 'ok' })]), { taskQueue: 'shaky' });
    const gate = await people.gate(handle.workflowId);
    await leave();
    const bad = answerBadly('shaky');
    const decided = decide(
      client,
      { address: `${handle.workflowId}/ok`, owner: handle.workflowId, gate },
      { decision: 'approve', by: 'ana' },
      harness.store,
    );
    await bad;
    onTestFinished(await harness.work('shaky'));
    expect(await decided).toEqual({ gate: 'ok', decision: 'approve', by: 'ana' });
    expect(await handle.result()).toMatchObject({ status: 'success' });
    const types = (await harness.events(handle.workflowId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'workflowExecutionUpdateAccepted')).toHaveLength(1);
    expect(types).toContain('workflowTaskFailed');
  });
});
