import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unreadableRuns } from '../../../src/cli/observe/ended-runs.js';
import type { Listing, Wanted } from '../../../src/cli/observe/list-runs.js';
import { listGates, listRuns } from '../../../src/cli/observe/list-runs.js';
import { renderGateList } from '../../../src/cli/render/lists.js';
import { pauseLines } from '../../../src/cli/render/pause-lines.js';
import { createPalette } from '../../../src/cli/text/colors.js';
import { MEMO } from '../../../src/plan/names.js';
import type { Session } from '../../../src/cli/session.js';
import { openStore } from '../../../src/store/local-store.js';
import type { Store } from '../../../src/store/store.js';
import { temporaryFolder } from '../../store/helpers/harness.js';
import { runRecord } from '../../store/helpers/run-record.js';

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1) + minute * 60_000);

/** What the server lists of a run. */
interface Served {
  workflowId: string;
  startTime: Date;
  closeTime?: Date;
  status: { name: string };
  raw?: object;
  typedSearchAttributes?: object;
  memo?: object;
}

function ended(run: string, minute: number, name = 'COMPLETED', told?: string): Served {
  const typedSearchAttributes = { get: ({ name: key }: { name: string }) => (key === 'PerdureStatus' ? told : null) };
  return { workflowId: run, startTime: at(minute - 2), closeTime: at(minute), status: { name }, typedSearchAttributes };
}

interface Server {
  /** What it lists when it is asked. */
  list: () => Served[] | Promise<Served[]>;
  forced?: number;
}

/** The same as it goes over the wire. */
function rawOf({ workflowId, startTime }: Served): object {
  const seconds = { toNumber: () => startTime.getTime() / 1_000 };
  return { execution: { workflowId }, status: 1, startTime: { seconds, nanos: 0 } };
}

/** What of a session a list asks, with a server that lists by status, the last ended first. */
function sessionOf(store: Store, { list, forced = 0 }: Server): Session {
  const listed = async (query: string): Promise<Served[]> => {
    const isOpen = query.includes(`= 'Running'`) && !query.includes('!=');
    return (await list()).filter(({ status }) => (status.name === 'RUNNING') === isOpen);
  };
  const workflow = {
    list: async function* ({ query }: { query: string }) {
      yield* await listed(query);
    },
    count: () => Promise.resolve({ count: forced }),
    getHandle: (run: string) => ({ describe: async () => (await list()).find(({ workflowId }) => workflowId === run) }),
  };
  const workflowService = {
    listWorkflowExecutions: async ({ query }: { query: string }) => ({ executions: (await listed(query)).map(rawOf) }),
  };
  const options = { namespace: 'default', loadedDataConverter: { payloadConverter: null, payloadCodecs: [] } };
  return {
    store,
    isElsewhere: false,
    mayKnowRuns: () => true,
    connect: () =>
      Promise.resolve({
        client: { workflow, workflowService, options },
        ...{ taskQueue: 'q', embedded: true },
        close: () => Promise.resolve(),
      }),
  } as unknown as Session;
}

async function storeOf(records: Record<string, number>): Promise<{ store: Store; read: string[] }> {
  const store = await openStore(await temporaryFolder());
  for (const [run, minute] of Object.entries(records)) {
    const times = { started_at: at(minute - 2).toISOString(), ended_at: at(minute).toISOString() };
    await store.writeRun(runRecord(run, { ...times, status: run.startsWith('bad') ? 'error' : 'success' }));
  }
  const read: string[] = [];
  const closedRuns: Store['closedRuns'] = async function* (atOnce) {
    for await (const page of store.closedRuns(atOnce)) {
      read.push(...page.map(({ run }) => run));
      yield page;
    }
  };
  return { store: { ...store, closedRuns }, read };
}

const told = ({ runs, more }: Listing): [string[], number | null] => [
  runs.map(({ run, status }) => `${run} ${status}`),
  more,
];

it('a list says what a run is about that began while the server was asked', async () => {
  const store = await openStore(await temporaryFolder());
  const submitted_at = at(0).toISOString();
  const list = async (): Promise<Served[]> => {
    await store.noteSubmitted({
      ...{ run: 'report-1', definition: 'report', description: 'of Monday' },
      ...{ rehearsal: false, submitted_by: 'ana', submitted_at },
    });
    return [ended('report-1', 2)];
  };
  const { runs } = await listRuns(sessionOf(store, { list }));
  expect(runs).toMatchObject([{ run: 'report-1', status: 'success', description: 'of Monday' }]);
});

describe('a list of the last runs that have ended', () => {
  const records = { c: 30, a: 10, 'bad-1': 40, d: 60, b: 20, 'bad-2': 50 };
  const listed = async (wanted: Wanted, server: Partial<Server> = {}): Promise<Listing> =>
    listRuns(sessionOf((await storeOf(records)).store, { list: () => [], ...server }), wanted);

  it('has those that ended last, says how many it leaves out, and reads no more than one beyond them', async () => {
    const { store, read } = await storeOf(records);
    expect(told(await listRuns(sessionOf(store, { list: () => [] }), { ended: 2 }))).toEqual([
      ['d success', 'bad-2 error'],
      4,
    ]);
    expect(read).toEqual(['d', 'bad-2', 'bad-1']);
    expect(told(await listed({ ended: 6 }))[1]).toBe(0);
    expect(told(await listed({}))).toEqual([
      ['d success', 'bad-2 error', 'bad-1 error', 'c success', 'b success', 'a success'],
      0,
    ]);
  });

  it('has all that are open before them, the latest first, and leaves none of those out', async () => {
    const open = (run: string, minute: number): Served => ({
      ...{
        workflowId: run,
        startTime: at(minute),
        status: { name: 'RUNNING' },
        raw: {},
        typedSearchAttributes: { get: () => undefined },
      },
    });
    const list = (): Served[] => [open('early', 1), open('late', 70)];
    expect(told(await listed({ ended: 1 }, { list }))).toEqual([['late running', 'early running', 'd success'], 5]);
    expect(told(await listed({ ended: 1, status: 'open' }, { list }))).toEqual([['late running', 'early running'], 0]);
  });

  it('has those among them that only the server tells of, and counts those that it does not', async () => {
    const list = (): Served[] => [ended('forced', 55, 'TERMINATED'), ended('d', 60), ended('a', 10)];
    expect(told(await listed({ ended: 2 }, { list, forced: 3 }))).toEqual([['d success', 'forced cancelled'], 7]);
  });

  it('tells of those that left no record which ended in part, where the server knows it', async () => {
    const list = (): Served[] => [ended('e', 61, 'COMPLETED', 'partial'), ended('f', 62, 'COMPLETED', 'success')];
    expect(told(await listed({ ended: 2 }, { list }))[0]).toEqual(['f success', 'e partial']);
    expect(told(await listed({ ended: 2, status: 'success' }, { list }))[0]).toEqual(['f success', 'd success']);
  });

  it('has the record of a run that ended while it was made', async () => {
    const { store } = await storeOf(records);
    const list = async (): Promise<Served[]> => {
      await store.writeRun(runRecord('now', { status: 'partial', ended_at: at(70).toISOString() }));
      return [ended('now', 70), ended('d', 60)];
    };
    expect(told(await listRuns(sessionOf(store, { list }), { ended: 2 }))).toEqual([['now partial', 'd success'], 5]);
  });

  it('of one status has the last of that, and says that there are more where it has not counted them', async () => {
    expect(told(await listed({ ended: 1, status: 'error' }))).toEqual([['bad-2 error'], null]);
    expect(told(await listed({ ended: 2, status: 'error' }))).toEqual([['bad-2 error', 'bad-1 error'], 0]);
    const list = (): Served[] => [ended('forced', 5, 'TERMINATED')];
    expect(told(await listed({ ended: 2, status: 'cancelled' }, { list }))).toEqual([['forced cancelled'], 0]);
    expect(told(await listed({ ended: 2, status: 'partial' }, { list }))).toEqual([[], 0]);
  });
});

it('runs whose records cannot be read are known, beside those that are listed', async () => {
  const folder = join(await temporaryFolder(), '.perdure');
  const store = await openStore(folder);
  for (const run of ['whole', 'cut', 'served', 'taken']) await store.writeRun(runRecord(run));
  const recordOf = (run: string): string => join(folder, 'runs', `${run}.json`);
  for (const run of ['cut', 'served']) writeFileSync(recordOf(run), '{"run":');
  rmSync(recordOf('taken'));
  mkdirSync(recordOf('taken'));
  const { runs, more } = await listRuns(sessionOf(store, { list: () => [ended('served', 1)] }));
  expect(runs.map(({ run }) => run).sort()).toEqual(['served', 'whole']);
  expect(more).toBe(0);
  expect(await unreadableRuns(store, runs)).toEqual(['cut', 'taken']);
});

describe('what waits for people', () => {
  const since = at(0).toISOString();
  const gate = { path: 'ok', kind: 'approval', message: 'Go on?', content: null, hash: 'x', since };
  const pause = { cause: 'quota', run: 'x', message: 'Too much', by: null, since };

  it.each([
    ...['approvers', 'excluded', 'escalated', 'options', 'votes', 'deadline', 'quorum', 'kind'].map((field) => ({
      [MEMO.waiting]: [{ ...gate, [field]: { a: 1 } }],
    })),
    { [MEMO.waiting]: [{ ...gate, votes: [null] }] },
    { [MEMO.waiting]: [{ ...gate, approvers: [7] }] },
    { [MEMO.paused]: { ...pause, cause: 'other' } },
    { [MEMO.paused]: { ...pause, cause: '__proto__' } },
    { [MEMO.paused]: { ...pause, until: 5 } },
  ])('is listed whatever others have put into a memo: %j', async (memo) => {
    const open = (run: string, its: object): Served => ({
      ...{ workflowId: run, startTime: at(1), status: { name: 'RUNNING' }, raw: {}, memo: its },
    });
    const served = [
      open('strange', memo),
      open('honest', { [MEMO.waiting]: [{ ...gate, approvers: ['ana'] }], [MEMO.paused]: pause }),
    ];
    const session = sessionOf(await openStore(await temporaryFolder()), { list: () => served });
    const { gates, paused } = await listGates(session);
    const style = { now: at(2).getTime(), width: 80, palette: createPalette(false) };
    const shown = [...renderGateList(gates, style), ...paused.flatMap(pauseLines)].join('\n');
    expect(shown).toContain('approve honest/ok');
    expect(shown).toContain('perdure resume honest');
    expect(shown).not.toContain('strange');
  });
});
