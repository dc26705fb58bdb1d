import { CancelledFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { ShortOutput, Withheld } from '../../../src/activities/contract.js';
import { createRunToolRow } from '../../../src/activities/tool-steps/run-tool-row.js';

type Run = (path: string) => Promise<ShortOutput | Withheld>;

/**
 * What a row of calls comes to, each named by its path; `begun` are those that were made. Each takes as long as is
 * said.
 */
async function made(paths: string[], run: Run, ms = 0): Promise<{ outputs: unknown; begun: string[] }> {
  const begun: string[] = [];
  const environment = new MockActivityEnvironment();
  const runRow = createRunToolRow(
    ({ path = '' }) => {
      begun.push(path);
      if (path === 'cancel') environment.cancel();
      return run(path);
    },
    () => begun.length * ms,
  );
  let outputs: unknown = null;
  const row = { calls: paths.map((path) => ({ plan: 'p', step: 0, path, workspace: '' })) };
  const act = async (): Promise<void> => {
    outputs = (await runRow(row)).map(({ path }) => path);
  };
  await environment.run(act).catch((error: unknown) => {
    outputs = String(error);
  });
  return { outputs, begun };
}

const succeed: Run = (path) => Promise.resolve({ path });

describe('calls of steps in a row', () => {
  it('are made one after another', async () => {
    expect(await made(['a', 'b', 'c'], succeed)).toEqual({ outputs: ['a', 'b', 'c'], begun: ['a', 'b', 'c'] });
  });

  it.each<[what: string, last: Run]>([
    ['withheld', () => Promise.resolve({ withheld: true })],
    ['fails', () => Promise.reject(new Error('no such file'))],
  ])('end before the first that is or %s', async (_, last) => {
    const run: Run = (path) => (path === 'b' ? last(path) : succeed(path));
    expect(await made(['a', 'b', 'c'], run)).toEqual({ outputs: ['a'], begun: ['a', 'b'] });
  });

  it('are none where the head is withheld, and fail where it fails', async () => {
    expect(await made(['a', 'b'], () => Promise.resolve({ withheld: true }))).toEqual({ outputs: [], begun: ['a'] });
    const failed = await made(['a', 'b'], () => Promise.reject(new Error('no such file')));
    expect(failed).toEqual({ outputs: 'Error: no such file', begun: ['a'] });
  });

  it('end where a workflow task has waited long enough', async () => {
    const { outputs, begun } = await made(['a', 'b', 'c', 'd'], succeed, 200);
    expect(outputs).toEqual(['a', 'b']);
    expect(begun).toEqual(outputs);
  });

  it('end with the one during which they are cancelled', async () => {
    expect((await made(['a', 'cancel', 'c'], succeed)).begun).toEqual(['a', 'cancel']);
    const cut = await made(['a', 'cancel', 'c'], (path) =>
      path === 'cancel' ? Promise.reject(new CancelledFailure('cancelled')) : succeed(path),
    );
    expect(cut).toEqual({ outputs: expect.stringContaining('cancelled'), begun: ['a', 'cancel'] });
  });
});
