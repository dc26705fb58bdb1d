import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { createAccessStore } from '../../../src/activities/store-access/answer-question.js';
import { createStoreElsewhere } from '../../../src/cli/elsewhere/store-elsewhere.js';
import type { StoreRequest } from '../../../src/plan/calls/store-questions.js';
import type { RunRecord } from '../../../src/plan/result.js';
import type { Follower } from '../../../src/plan/triggers/follow.js';
import { openStore } from '../../../src/store/local-store.js';
import type { Store } from '../../../src/store/store.js';
import { temporaryFolder } from '../../store/helpers/harness.js';
import { runRecord } from '../../store/helpers/run-record.js';

/** A store, and the same as who asks its workers has it; `asked` grows with each question. */
async function createBoth(): Promise<{ there: Store; here: Store; asked: string[] }> {
  const there = await openStore(join(await temporaryFolder(), 'there'));
  const access = createAccessStore({ store: there, credentials: () => ({}) });
  const asked: string[] = [];
  const execute = (_: string, { args: [request] }: { args: [StoreRequest] }): Promise<unknown> => {
    asked.push(request.op);
    return access(request);
  };
  // all that is used of it
  const client = { workflow: { execute } } as unknown as Client;
  return { there, here: createStoreElsewhere({ client, taskQueue: 'q', id: 'there' }), asked };
}

/** A run that ended in that minute. */
const record = (minute: number, size = 0): RunRecord =>
  runRecord(`run-${minute}`, {
    ended_at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
    submitted_by: 'x'.repeat(size),
  });

async function idsOf(pages: AsyncIterable<RunRecord[]>): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of pages) ids.push(...page.map(({ run }) => run));
  return ids;
}

const lastFirst = (count: number): string[] => Array.from({ length: count }, (_, index) => `run-${count - 1 - index}`);

describe('closed runs of a store elsewhere', () => {
  it('come in pages, the last ended first', async () => {
    const { there, here, asked } = await createBoth();
    for (let minute = 0; minute < 25; minute += 1) await there.writeRun(record(minute));
    expect(await idsOf(here.closedRuns(10))).toEqual(lastFirst(25));
    expect(asked).toEqual(Array<string>(4).fill('closedRuns'));
  });

  it('come all, where a page has more bytes than can be sent at once', async () => {
    const { there, here, asked } = await createBoth();
    for (let minute = 0; minute < 9; minute += 1) await there.writeRun(record(minute, 300 * 1024));
    expect(await idsOf(here.closedRuns())).toEqual(lastFirst(9));
    expect(asked).toHaveLength(4);
  });

  it('are told once, although another one ends between two pages', async () => {
    const { there, here } = await createBoth();
    for (let minute = 0; minute < 4; minute += 1) await there.writeRun(record(minute));
    const pages = here.closedRuns(2);
    const first = await pages.next();
    await there.writeRun(record(4));
    expect([...(first.value as RunRecord[]).map(({ run }) => run), ...(await idsOf(pages))]).toEqual(lastFirst(4));
  });

  it('are none where none has ended', async () => {
    expect(await idsOf((await createBoth()).here.closedRuns())).toEqual([]);
  });
});

it('what was told of a run is heard from elsewhere, and nothing is told from there', async () => {
  const { there, here } = await createBoth();
  const line = {
    kind: 'message' as const,
    at: '2026-01-01T00:00:00.000Z',
    key: 'k',
    task: 'a',
    mood: 'excited' as const,
    text: 'It begins.',
    from: 'template' as const,
  };
  await there.addNarration('run', line);
  await here.addNarration('run', { ...line, key: 'other' });
  expect(await here.readNarration('run')).toEqual([line]);
});

it('changes followers there, and refuses a change that is asked for as before', async () => {
  const { there, here } = await createBoth();
  const follower: Follower = {
    ...{ definition: 'after', file: 'after.yml', project: 'a', definitions: ['report'], ends: ['success'], when: null },
    ...{ prepared: 'sha256:1', source: 'sha256:2', settled: 'sha256:3' },
  };
  expect(await here.changeFollowers({ put: [follower] })).toEqual([follower]);
  expect([await here.readFollowers(), await there.readFollowers()]).toEqual([[follower], [follower]]);
  const access = createAccessStore({ store: there, credentials: () => ({}) });
  for (const change of [{ write: [] }, { change: { remove: [follower] } }]) {
    const request: StoreRequest = { op: 'followers', ...change };
    await expect(access(request)).rejects.toThrow('expected a command of its own version');
  }
  expect(await there.readFollowers()).toEqual([follower]);
});
