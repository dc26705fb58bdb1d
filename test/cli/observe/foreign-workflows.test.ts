import type { ConnectionLike } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import { expect, it } from 'vitest';
import { listGates, listRuns } from '../../../src/cli/observe/list-runs.js';
import { toGateJson } from '../../../src/cli/render/json.js';
import { renderGateList } from '../../../src/cli/render/lists.js';
import type { Session } from '../../../src/cli/session.js';
import { createPalette } from '../../../src/cli/text/colors.js';
import { INTERPRETER, MEMO } from '../../../src/plan/names.js';
import { openStore } from '../../../src/store/local-store.js';
import { createClient } from '../../../src/workers/connection/temporal-client.js';
import { temporaryFolder } from '../../store/helpers/harness.js';

type Payload = ReturnType<typeof defaultPayloadConverter.toPayload>;

const OPEN = 1;
const COMPLETED = 2;
const since = '2026-01-01T00:00:00Z';
const at = Date.parse(since);
const gate = { path: 'ok', kind: 'approval', message: 'Go on?', content: null, hash: 'x', since };
const pause = { cause: 'quota', run: 'honest', message: 'Too much', by: null, since };
const said = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const coded = (encoding: string, data: string): Payload => ({
  metadata: { encoding: Buffer.from(encoding) },
  data: Buffer.from(data),
});

interface Served {
  workflowId: string;
  status?: number;
  memo?: Record<string, Payload>;
  taskQueue?: string;
}

/** A workflow as it goes over the wire. */
function wired({ workflowId, status = OPEN, memo = {}, taskQueue = 'q' }: Served): object {
  const { seconds } = msToTs(at);
  return {
    execution: { workflowId, runId: `of ${workflowId}` },
    type: { name: INTERPRETER },
    ...{ taskQueue, status, historyLength: seconds, memo: { fields: memo } },
    startTime: { seconds, nanos: 0 },
    ...(status === OPEN ? {} : { closeTime: { seconds, nanos: 0 } }),
    searchAttributes: { indexedFields: {} },
  };
}

/** A session with a client of ours, of a server that has these. */
async function sessionOf(served: Served[]): Promise<Session> {
  const store = await openStore(await temporaryFolder());
  const workflowService = {
    listWorkflowExecutions: async ({ query }: { query: string }) => {
      const isOpen = query.includes(`= 'Running'`) && !query.includes('!=');
      return {
        executions: served.filter(({ status = OPEN }) => (status === OPEN) === isOpen).map(wired),
        nextPageToken: new Uint8Array(),
      };
    },
    describeWorkflowExecution: async ({ execution }: { execution: { workflowId: string } }) => ({
      workflowExecutionInfo: served.filter(({ workflowId }) => workflowId === execution.workflowId).map(wired)[0],
    }),
    countWorkflowExecutions: async () => ({ count: msToTs(0).seconds, groups: [] }),
  };
  const connection = { workflowService, plugins: [] } as unknown as ConnectionLike;
  const client = createClient({ connection, namespace: 'default', keys: null });
  return {
    store,
    isElsewhere: false,
    mayKnowRuns: () => true,
    connect: async () => ({ client, taskQueue: 'q', embedded: false, close: async () => undefined }),
  } as unknown as Session;
}

const honest: Served = {
  workflowId: 'honest',
  memo: {
    [MEMO.waiting]: said([gate]),
    [MEMO.paused]: said(pause),
    [MEMO.definition]: said('report'),
  },
};

it.each([
  ['a form that nobody knows', coded('binary/other', 'x')],
  ['no JSON', coded('json/plain', '{')],
  ['no form', { data: Buffer.from('x') }],
  ['a protobuf', coded('binary/protobuf', 'x')],
])('a workflow of others whose memo is of %s ends no list of ours', async (_, payload) => {
  const memo = Object.fromEntries(Object.values(MEMO).map((name) => [name, payload]));
  const session = await sessionOf([
    { workflowId: 'strange', memo },
    honest,
    { workflowId: 'strange-end', status: COMPLETED, memo },
  ]);
  const { runs, gates, paused } = await listRuns(session, { ended: 10 });
  expect(runs.map(({ run, status, definition }) => [run, status, definition]).sort()).toEqual([
    ['honest', 'paused', 'report'],
    ['strange', 'running', ''],
    ['strange-end', 'success', ''],
  ]);
  expect(gates.map(({ address }) => address)).toEqual(['honest/ok']);
  expect(paused.map(({ run }) => run)).toEqual(['honest']);
});

it.each(['-x', 'x$(echo out)', 'a b', '../x', '\u0000', 'x'.repeat(900)])(
  'what another program has called %j is no run: no command and no store takes that id',
  async (workflowId) => {
    const session = await sessionOf([{ ...honest, workflowId }, honest, { workflowId, status: COMPLETED }]);
    const { runs, gates } = await listRuns(session, { ended: 10 });
    expect(runs.map(({ run }) => run)).toEqual(['honest']);
    expect(gates.map(({ owner }) => owner)).toEqual(['honest']);
  },
);

it.each([
  { ref: 5 },
  { ref: 'sha256:00' },
  { ref: 'sha256:00', bytes: 'many', value: 1 },
  { other: 1 },
  ['value'],
  'value',
])('a gate of others that shows %j is none', async (content) => {
  const memo = { [MEMO.waiting]: said([{ ...gate, content }]) };
  const { gates } = await listGates(await sessionOf([{ workflowId: 'strange', memo }, honest]));
  expect(gates.map(({ owner }) => owner)).toEqual(['honest']);
  expect(gates.map(toGateJson)).toHaveLength(1);
  expect(renderGateList(gates, { now: at, width: 80, palette: createPalette(false) })).not.toEqual([]);
});
