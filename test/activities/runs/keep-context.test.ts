import { expect, it } from 'vitest';
import { keepContext } from '../../../src/activities/runs/keep-context.js';
import { openStore } from '../../../src/store/local-store.js';
import { runRecord } from '../../store/helpers/run-record.js';
import { temporaryFolder } from '../helpers/harness.js';

it('an answer that is too long for its session is kept with a mark where it ends', async () => {
  const workspace = await temporaryFolder();
  const store = await openStore(workspace);
  const session = 'task-0a1b2c3d';
  await store.createSession({
    session_id: session,
    agent_name: 'a',
    description: '',
    created_at: '2026-01-01T00:00:00Z',
  });
  const context = (await store.putAlways({ nonce: 'n', blocks: [], session, agents_md: null })).ref;
  const output = await store.put('x'.repeat(20_001));
  await keepContext(store, { ...runRecord('r'), workspace, context, output }, []);
  expect((await store.readSession(session))?.messages.at(-1)?.content).toBe(`${'x'.repeat(19_999)}…`);
});
