import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { MemoryFiles } from '../../../src/store/records/memory-files.js';
import { createMemoryFiles } from '../../../src/store/records/memory-files.js';
import { createSessionFiles } from '../../../src/store/records/session-files.js';
import { NO_RUNS } from '../helpers/harness.js';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'perdure-memory-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const texts = async (files: MemoryFiles, query: string, category?: 'convention'): Promise<string[]> =>
  (await files.searchMemories({ query, category })).map(({ text }) => text);

it('memories are found by words, by their beginnings and by words that are nearly theirs, the best first', async () => {
  const files = createMemoryFiles(folder());
  for (const text of ['Dates are ISO 8601 in UTC.', 'Tests never sleep.', 'The date library is dayjs.'])
    await files.addMemory({ category: 'convention', text, by: 'ana' });
  expect((await texts(files, 'date library'))[0]).toBe('The date library is dayjs.');
  expect(await texts(files, 'libary')).toEqual(['The date library is dayjs.']);
  expect(await texts(files, 'nothing of it')).toEqual([]);
  expect(await texts(files, '')).toEqual([
    'The date library is dayjs.',
    'Tests never sleep.',
    'Dates are ISO 8601 in UTC.',
  ]);
});

it('a query of any length is looked for by its first words, a long one by how it begins', async () => {
  const files = createMemoryFiles(folder());
  for (const text of ['The date library is dayjs.', `The key is ${'k'.repeat(80)}.`])
    await files.addMemory({ category: 'convention', text, by: 'ana' });
  const words = Array.from({ length: 20_000 }, (_, index) => `word${index}`);
  expect(await texts(files, `libary ${'A'.repeat(100_000)} ${words.join(' ')} key`)).toEqual([
    'The date library is dayjs.',
  ]);
  expect(await texts(files, 'k'.repeat(80))).toEqual([`The key is ${'k'.repeat(80)}.`]);
  expect(await files.searchMemories({ query: 'library', limit: 0 })).toEqual([]);
});

it('of what rolls on the last are kept, and of what was decided all', async () => {
  const files = createMemoryFiles(folder());
  for (let index = 0; index < 22; index += 1)
    for (const category of ['recent_change', 'session_summary', 'decision', 'constraint', 'open_loop'] as const)
      await files.addMemory({ category, text: `${category} ${index}`, by: 'ana' });
  const kept = async (
    category: 'recent_change' | 'session_summary' | 'decision' | 'constraint' | 'open_loop',
  ): Promise<string[]> => (await files.searchMemories({ query: '', category })).map(({ text }) => text);
  const [changes, summaries] = [await kept('recent_change'), await kept('session_summary')];
  expect([changes.length, changes.at(-1)]).toEqual([20, 'recent_change 2']);
  expect([summaries.length, summaries.at(-1)]).toEqual([10, 'session_summary 12']);
  for (const category of ['decision', 'constraint', 'open_loop'] as const)
    expect(await kept(category)).toHaveLength(22);
});

it('what is removed is not found again, and a goal takes the place of the last one', async () => {
  const files = createMemoryFiles(folder());
  const first = await files.addMemory({ category: 'convention', text: 'Use tabs.', by: 'ana' });
  await files.addMemory({ category: 'goal', text: 'Ship in May.', by: 'ana' });
  await files.addMemory({ category: 'goal', text: 'Ship in June.', by: 'ana' });
  expect(await texts(files, '')).toEqual(['Ship in June.', 'Use tabs.']);
  expect([await files.removeMemory(first.id), await files.removeMemory(first.id)]).toEqual([true, false]);
  expect(await texts(files, '', 'convention')).toEqual([]);
});

it('a line that a crash has cut costs nothing but itself', async () => {
  const at = folder();
  const files = createMemoryFiles(at);
  await files.addMemory({ category: 'decision', text: 'Keep.', by: 'ana' });
  appendFileSync(join(at, 'memories.ndjson'), '{"id":"mem-00');
  await files.addMemory({ category: 'decision', text: 'Keep too.', by: 'ana' });
  expect(await texts(files, '')).toEqual(['Keep too.', 'Keep.']);
});

it('a line of another form costs nothing but itself', async () => {
  const at = folder();
  const files = createMemoryFiles(at);
  await files.addMemory({ category: 'decision', text: 'Keep.', by: 'ana' });
  appendFileSync(join(at, 'memories.ndjson'), '{"note": "of another program"}\n{"id": "x"}\n');
  expect(await texts(files, '')).toEqual(['Keep.']);
  expect(await texts(files, 'keep')).toEqual(['Keep.']);
});

it('lines that are no memories are known by their numbers', async () => {
  const at = folder();
  const files = createMemoryFiles(at);
  expect(await files.unreadMemories()).toBeNull();
  const { id } = await files.addMemory({ category: 'decision', text: 'Keep.', by: 'ana' });
  await files.removeMemory(id);
  expect(await files.unreadMemories()).toBeNull();
  const file = join(at, 'memories.ndjson');
  appendFileSync(file, '{"note": "of another program"}\n[1]\n{"id":"mem-00');
  expect(await files.unreadMemories()).toEqual({ file, lines: [5, 6, 7] });
});

it('a session tells each side of a run once, however often it is said, and how it ended', async () => {
  const files = createSessionFiles(folder(), NO_RUNS);
  const id = 'task-0a1b2c3d';
  await files.createSession({
    session_id: id,
    agent_name: 'reviewer',
    description: '',
    created_at: '2026-01-01T00:00:00.000Z',
  });
  expect(await files.readSession(id)).toMatchObject({
    status: 'completed',
    updated_at: '2026-01-01T00:00:00.000Z',
    messages: [],
  });
  await files.addMessage(id, { role: 'user', content: 'Look.', run: 'r-1', at: '2026-01-02T00:00:00.000Z' });
  for (const content of ['Broken.', 'Said again after a crash.'])
    await files.addMessage(id, {
      role: 'assistant',
      content,
      run: 'r-1',
      at: '2026-01-03T00:00:00.000Z',
      status: 'error',
      error: 'why',
    });
  expect(await files.readSession(id)).toMatchObject({
    status: 'error',
    updated_at: '2026-01-03T00:00:00.000Z',
    messages: [{ content: 'Look.' }, { content: 'Broken.', error: 'why' }],
  });
  expect((await files.listSessions()).map(({ session_id }) => session_id)).toEqual([id]);
  expect([await files.readSession('task-ffffffff'), await files.readSession('../../etc/passwd')]).toEqual([null, null]);
});
