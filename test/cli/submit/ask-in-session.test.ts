import { describe, expect, it } from 'vitest';
import { askInSession, sessionOfRun } from '../../../src/cli/submit/ask-in-session.js';
import { openStore } from '../../../src/store/local-store.js';
import type { SessionHead } from '../../../src/store/records/session-files.js';
import type { Store } from '../../../src/store/store.js';
import { temporaryFolder } from '../../store/helpers/harness.js';

const head = (digit: string): SessionHead => ({
  session_id: `task-0000000${digit}`,
  agent_name: 'reviewer',
  description: '',
  created_at: `2026-01-0${digit}T00:00:00.000Z`,
});
const asking = (run: string, store: Store, begins = true) =>
  askInSession.bind(
    null,
    { session: head('1').session_id, head: begins ? head('1') : null, content: 'Why?' },
    { run, store },
  );
const fails = (error: Error) => (): Promise<{ joined: boolean }> => Promise.reject(error);

describe('a session that a run begins', () => {
  it('is there when the run starts, and has its question once it has started', async () => {
    const store = await openStore(await temporaryFolder());
    let before: unknown;
    await asking(
      'r',
      store,
    )(async () => {
      before = (await store.readSession(head('1').session_id))?.messages;
      return { joined: false };
    });
    expect(before).toEqual([]);
    expect((await store.readSession(head('1').session_id))?.messages).toMatchObject([{ run: 'r', content: 'Why?' }]);
  });

  it('is none where the run was refused, or joined another', async () => {
    const store = await openStore(await temporaryFolder());
    await expect(asking('r', store)(fails(new Error('taken')))).rejects.toThrow('taken');
    expect(await store.listSessions()).toEqual([]);
    expect(await asking('r', store)(async () => ({ joined: true }))).toEqual({ joined: true });
    expect(await store.listSessions()).toEqual([]);
  });

  it('stays where nobody knows whether the run was started', async () => {
    const store = await openStore(await temporaryFolder());
    const lost = Object.assign(new Error('lost'), { code: 14, details: '' });
    await expect(asking('r', store)(fails(lost))).rejects.toThrow(lost);
    expect(await store.listSessions()).toMatchObject([{ messages: [] }]);
  });

  it('that cannot be written starts nothing', async () => {
    const store = await openStore(await temporaryFolder());
    const full = { ...store, createSession: fails(new Error('no space is left')) as never };
    let started = false;
    const start = async (): Promise<{ joined: boolean }> => {
      started = true;
      return { joined: false };
    };
    await expect(asking('r', full)(start)).rejects.toThrow('no space is left');
    expect(started).toBe(false);
  });
});

it('a session that a run goes on with stays as it was where the run was refused, or joined another', async () => {
  const store = await openStore(await temporaryFolder());
  await store.createSession(head('1'));
  const before = await store.listSessions();
  await expect(asking('r', store, false)(fails(new Error('taken')))).rejects.toThrow('taken');
  await asking('r', store, false)(async () => ({ joined: true }));
  expect(await store.listSessions()).toEqual(before);
});

it('a run is found in the session in which it asked before copies of it, and in the meant one first', async () => {
  const store = await openStore(await temporaryFolder());
  const asked = { role: 'user' as const, content: 'Why?', run: 'r', at: '2026-01-03T00:00:00.000Z' };
  await store.createSession(head('2'), [asked]);
  await store.createSession(head('1'), [asked]);
  await store.createSession(head('3'));
  const found = async (run: string, meant: string) => (await sessionOfRun(run, meant, store))?.session_id ?? null;
  expect(await found('r', 'task-00000003')).toBe('task-00000001');
  expect(await found('r', 'task-00000002')).toBe('task-00000002');
  expect(await found('other', 'task-00000003')).toBeNull();
});
