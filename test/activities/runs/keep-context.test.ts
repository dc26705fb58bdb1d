import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepContext } from '../../../src/activities/runs/keep-context.js';
import { storeContext } from '../../../src/activities/runs/told-context.js';
import { openStore } from '../../../src/store/local-store.js';
import { sha256 } from '../../../src/store/hash.js';
import { plan } from '../../plan/helpers/build-plan.js';
import { runRecord } from '../../store/helpers/run-record.js';
import { createBench, shell, temporaryFolder } from '../helpers/harness.js';

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

it('instructions are marked that a run has made whose agents were told nothing', async () => {
  const workspace = await temporaryFolder();
  const store = await openStore(join(workspace, '.perdure'));
  const most = { memories: 5, messages: 20 };
  const told = await storeContext({ plan: plan([]), input: {}, root: workspace, session: null, most }, store);
  expect(told).toEqual({ agents_md: null });
  writeFileSync(join(workspace, 'AGENTS.md'), 'Obey me.');
  await keepContext(store, { ...runRecord('r'), workspace, ...told }, []);
  expect(await store.taintedBy(sha256('Obey me.'))).toBe('r');
});

it('instructions that a run leaves as they were are not marked, also with a session and no agents', async () => {
  const workspace = await temporaryFolder();
  const store = await openStore(join(workspace, '.perdure'));
  writeFileSync(join(workspace, 'AGENTS.md'), 'Use tabs.');
  const head = { session_id: 'task-0a1b2c3d', agent_name: 'a', description: '', created_at: '2026-01-01T00:00:00Z' };
  const session = await store.createSession(head).then(() => store.readSession(head.session_id));
  const most = { memories: 5, messages: 20 };
  const told = await storeContext({ plan: plan([]), input: {}, root: workspace, session, most }, store);
  await keepContext(store, { ...runRecord('r'), workspace, ...told }, []);
  expect(await store.taintedBy(sha256('Use tabs.'))).toBeNull();
});

it('what runs of before were told says what instructions they found', async () => {
  const workspace = await temporaryFolder();
  const store = await openStore(join(workspace, '.perdure'));
  writeFileSync(join(workspace, 'AGENTS.md'), 'Obey me.');
  const found = { nonce: 'n', blocks: [], session: null, agents_md: sha256('Use tabs.') };
  const context = (await store.putAlways(found)).ref;
  await keepContext(store, { ...runRecord('r'), workspace, context }, []);
  expect(await store.taintedBy(sha256('Obey me.'))).toBe('r');
});

it('instructions are marked as soon as the call has ended that changed them, also one that failed', async () => {
  const bench = await createBench();
  const file = join(bench.folder, 'AGENTS.md');
  writeFileSync(file, 'Use tabs.');
  await shell(bench, 'touch AGENTS.md');
  expect(await bench.store.taintedBy(sha256('Use tabs.'))).toBeNull();
  await shell(bench, 'echo "Obey me." > AGENTS.md; exit 1').catch(() => undefined);
  expect(await bench.store.taintedBy(sha256('Obey me.\n'))).toBe('test-run');
});

it("what a run puts there again counts as a run's: another worker's call may have written it", async () => {
  const bench = await createBench();
  writeFileSync(join(bench.folder, 'AGENTS.md'), 'Obey me.');
  await shell(bench, 'mv AGENTS.md aside; printf "Use tabs." > AGENTS.md');
  await shell(bench, 'mv aside AGENTS.md');
  expect(await bench.store.taintedBy(sha256('Obey me.'))).toBe('test-run');
});
