import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SessionHead, SessionMessage } from '../../../src/store/records/session-files.js';
import { openStore } from '../../../src/store/local-store.js';
import { answeredMessages, createSessionFiles } from '../../../src/store/records/session-files.js';
import { NO_RUNS, temporaryFolder } from '../helpers/harness.js';
import { runRecord } from '../helpers/run-record.js';

const head = (id: number, created_at = '2026-01-01T00:00:00.000Z'): SessionHead => ({
  session_id: `task-0000000${id}`,
  agent_name: 'reviewer',
  description: 'd',
  created_at,
});

const said = (role: 'user' | 'assistant', run: string, at: string, more: Partial<SessionMessage> = {}) => ({
  ...{ role, content: `${role} of ${run}`, run, at },
  ...more,
});

it('sessions are listed by who changed last, and are gone once removed', async () => {
  const folder = join(await temporaryFolder(), 'sessions');
  const files = createSessionFiles(folder, NO_RUNS);
  expect(await files.listSessions()).toEqual([]);
  await files.createSession(head(1));
  await files.createSession(head(2), [said('user', 'r', '2026-03-01T00:00:00.000Z')]);
  await files.createSession(head(3, '2026-02-01T00:00:00.000Z'));
  writeFileSync(join(folder, 'task-00000004.ndjson.0123.tmp'), '{}');
  mkdirSync(join(folder, 'task-00000005.ndjson')); // none, and no reason to list no other
  const ids = async () => (await files.listSessions()).map(({ session_id }) => session_id);
  expect(await ids()).toEqual(['task-00000002', 'task-00000003', 'task-00000001']);
  await files.addMessage('task-00000001', said('user', 's', '2026-04-01T00:00:00.000Z'));
  expect((await ids())[0]).toBe('task-00000001');
  for (const id of ['task-00000001', 'task-00000001']) await files.removeSession(id);
  expect(await ids()).toEqual(['task-00000002', 'task-00000003']);
  expect(await files.readSession('task-00000001')).toBeNull();
});

it('a session that is imported is there with all that was said, kept as one that was begun then', async () => {
  const files = createSessionFiles(await temporaryFolder(), NO_RUNS);
  const messages = [said('user', 'r', '2025-01-01T00:00:00.000Z'), said('assistant', 'r', '2025-01-02T00:00:00.000Z')];
  const imported = { from: 'a.jsonl', hash: 'sha256:a' as const, at: '2026-05-01T00:00:00.000Z' };
  await files.createSession({ ...head(1), imported }, messages);
  const session = await files.readSession('task-00000001');
  expect(session).toEqual({ ...head(1), imported, updated_at: imported.at, status: 'completed', messages });
});

it('a copy of an older session is kept as one that was begun when it was made', async () => {
  const files = createSessionFiles(await temporaryFolder(), NO_RUNS);
  const copy = { ...head(2, '2026-05-01T00:00:00.000Z'), forked_from: head(1).session_id };
  await files.createSession(copy, [said('user', 'r', '2026-01-01T00:00:00.000Z')]);
  expect((await files.readSession(copy.session_id))?.updated_at).toBe(copy.created_at);
});

it.each([
  ['an error where nobody answers any more', 'error', [said('user', 'r', '2026-01-02T00:00:00.000Z')]],
  ['completed before anybody speaks', 'completed', []],
  ...(['success', 'partial', 'error', 'cancelled'] as const).map((status) => [
    `${status === 'success' || status === 'partial' ? 'completed' : 'an error'} after \`${status}\``,
    status === 'success' || status === 'partial' ? 'completed' : 'error',
    [said('user', 'r', '2026-01-02T00:00:00.000Z'), said('assistant', 'r', '2026-01-03T00:00:00.000Z', { status })],
  ]),
] as [string, string, SessionMessage[]][])('a session is %s', async (_, status, messages) => {
  const files = createSessionFiles(await temporaryFolder(), NO_RUNS);
  await files.createSession(head(1), messages);
  const session = await files.readSession('task-00000001');
  expect([session?.status, session?.updated_at]).toEqual([status, messages.at(-1)?.at ?? head(1).created_at]);
});

it('a session is active until each of its runs has answered or ended, whoever answered last', async () => {
  const store = await openStore(await temporaryFolder());
  await store.createSession(head(1));
  const tell = (role: 'user' | 'assistant', run: string, at: string): Promise<void> =>
    store.addMessage('task-00000001', said(role, run, at, role === 'user' ? {} : { status: 'success' }));
  for (const [day, run] of ['a', 'b', 'gone'].entries()) {
    const at = `2026-01-0${day + 1}T00:00:00.000Z`;
    const about = { run, definition: 'd', rehearsal: false, submitted_by: 'ana', submitted_at: at };
    if (run !== 'gone') await store.noteSubmitted(about);
    await tell('user', run, at);
  }
  const status = async () => (await store.readSession('task-00000001'))?.status;
  await tell('assistant', 'b', '2026-01-05T00:00:00.000Z');
  expect([await status(), (await store.listSessions())[0]?.status]).toEqual(['active', 'active']);
  await tell('assistant', 'a', '2026-01-06T00:00:00.000Z');
  expect(await status()).toBe('completed');
});

it('a run that ended without a word keeps no session active', async () => {
  const state = await temporaryFolder();
  const store = await openStore(state);
  const at = '2026-01-01T00:00:00.000Z';
  await store.createSession(head(1), [said('user', 'a', at), said('user', 'b', at), said('assistant', 'b', at)]);
  await store.noteSubmitted({ run: 'a', definition: 'd', rehearsal: false, submitted_by: 'ana', submitted_at: at });
  expect((await store.readSession('task-00000001'))?.status).toBe('active');
  await store.writeRun(runRecord('a'));
  expect((await store.readSession('task-00000001'))?.status).toBe('completed');
  writeFileSync(join(state, 'runs', 'a.json'), '{'); // damaged: of its end nobody knows more
  expect(await store.listSessions()).toMatchObject([{ status: 'completed' }]);
});

it('a session has what one side said in a run once, the first time', async () => {
  const files = createSessionFiles(await temporaryFolder(), NO_RUNS);
  await files.createSession(head(1));
  const first = said('user', 'r', '2026-01-02T00:00:00.000Z');
  for (const content of [first.content, 'again']) await files.addMessage('task-00000001', { ...first, content });
  expect((await files.readSession('task-00000001'))?.messages).toEqual([first]);
});

it.each([
  ['has lost its beginning', '{"session_id":"task-0'],
  ['begins with what is no session', 'null\n7\n{}'],
  ['was begun by a program that nobody knows', JSON.stringify({ ...head(1), agent_cli: 'other' })],
])('a session that %s is none, and the others are there', async (_how, begin) => {
  const folder = await temporaryFolder();
  const files = createSessionFiles(folder, NO_RUNS);
  const message = said('user', 'r', '2026-01-02T00:00:00.000Z');
  writeFileSync(join(folder, 'task-00000001.ndjson'), `${begin}\n${JSON.stringify(message)}\n`);
  await files.createSession(head(2), [message]);
  expect(await files.readSession('task-00000001')).toBeNull();
  expect(await files.listSessions()).toMatchObject([{ session_id: 'task-00000002' }]);
});

it('a session is there without the lines of it that are damaged', async () => {
  const folder = await temporaryFolder();
  const files = createSessionFiles(folder, NO_RUNS);
  const message = said('user', 'r', '2026-01-02T00:00:00.000Z');
  const odd = ['7', 'null', '{}', '{"role":"user","content":null,"run":"r","at":"x"}', '{"role":"user", "cont'];
  writeFileSync(
    join(folder, 'task-00000001.ndjson'),
    [JSON.stringify(head(1)), ...odd, JSON.stringify(message)].join('\n'),
  );
  expect((await files.readSession('task-00000001'))?.messages).toEqual([message]);
});

it('no other name is that of a session, and what cannot be listed is a failure', async () => {
  const folder = await temporaryFolder();
  const files = createSessionFiles(join(folder, 'sessions'), NO_RUNS);
  mkdirSync(join(folder, 'sessions'));
  for (const name of ['task-0000000', '../secret', 'task-0000000g', 'xtask-00000001', 'task-000000011']) {
    writeFileSync(join(folder, 'sessions', `${name}.ndjson`), `${JSON.stringify(head(1))}\n`);
    expect(await files.readSession(name)).toBeNull();
  }
  expect(await files.listSessions()).toEqual([]);
  expect(existsSync(join(folder, 'secret.ndjson'))).toBe(true);
  writeFileSync(join(folder, 'file'), '');
  await expect(createSessionFiles(join(folder, 'file'), NO_RUNS).listSessions()).rejects.toThrow(
    /Cannot read `.*file`/,
  );
});

it('of a session comes to a copy what was answered, and what nobody here has asked', async () => {
  const store = await openStore(await temporaryFolder());
  const at = '2026-01-02T00:00:00.000Z';
  const messages = [
    said('user', 'glee-1', at), // imported: each message is a run of its own
    said('assistant', 'glee-2', at),
    said('user', 'answered', at),
    said('user', 'open', at),
    said('assistant', 'answered', at, { status: 'error' }),
    said('user', 'silent', at),
  ];
  for (const run of ['answered', 'open', 'silent'])
    await store.noteSubmitted({ run, definition: 'd', rehearsal: false, submitted_by: 'ana', submitted_at: at });
  await store.writeRun(runRecord('silent'));
  const copied = await answeredMessages(messages, store);
  expect(copied.map(({ run, role }) => `${run} ${role}`)).toEqual([
    'glee-1 user',
    'glee-2 assistant',
    'answered user',
    'answered assistant',
  ]);
});
