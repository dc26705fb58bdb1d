import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/store/local-store.js';
import type { Store } from '../../../src/store/store.js';
import { abilityOf } from '../../../src/workers/worker/ability.js';
import type { Presence } from '../../../src/workers/worker/presence.js';
import { announceWorker } from '../../../src/workers/worker/presence.js';

async function storeThatRequires(label: string): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'perdure-presence-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = await openStore(join(folder, '.perdure'));
  await store.requireWorkers([label]);
  return store;
}

function announced(store: Store, serve: (queue: string) => Promise<void>): Presence {
  const presence = announceWorker({
    store,
    queue: 'queue',
    ability: abilityOf(['gpu']),
    deployment: null,
    queues: { serve },
    log: () => undefined,
  });
  onTestFinished(() => presence.leave());
  return presence;
}

it('a worker is there for the others though a queue that it is to serve does not open', async () => {
  const store = await storeThatRequires('gpu');
  const presence = announced(store, () => Promise.reject(new Error('no such queue')));
  await presence.look();
  await presence.seen();
  expect(await store.listWorkers()).toMatchObject([{ id: presence.id(), serves: [] }]);
});

it('a worker says what it serves as soon as it does', async () => {
  const store = await storeThatRequires('gpu');
  const presence = announced(store, () => Promise.resolve());
  await presence.look();
  expect(await store.listWorkers()).toMatchObject([{ serves: ['gpu'] }]);
});
