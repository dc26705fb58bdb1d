import { expect, it } from 'vitest';
import { listRuns } from '../../../src/cli/observe/list-runs.js';
import type { Session } from '../../../src/cli/session.js';
import { openStore } from '../../../src/store/local-store.js';
import { temporaryFolder } from '../../store/helpers/harness.js';

it('a list says what a run is about that began while the server was asked', async () => {
  const store = await openStore(await temporaryFolder());
  const ended = new Date('2026-11-01T10:00:00.000Z');
  const listed = { workflowId: 'report-1', startTime: ended, closeTime: ended, status: { name: 'COMPLETED' } };
  const list = async function* (): AsyncGenerator<typeof listed> {
    await store.noteSubmitted({
      ...{ run: 'report-1', definition: 'report', description: 'of Monday' },
      ...{ rehearsal: false, submitted_by: 'ana', submitted_at: ended.toISOString() },
    });
    yield listed;
  };
  // What of a session a list asks: the moment in which the run begins is its own.
  const session = {
    store,
    isElsewhere: false,
    mayKnowRuns: () => true,
    connect: () => Promise.resolve({ client: { workflow: { list } }, close: () => Promise.resolve() }),
  } as unknown as Session;
  const { runs } = await listRuns(session);
  expect(runs).toMatchObject([{ run: 'report-1', status: 'success', description: 'of Monday' }]);
});
