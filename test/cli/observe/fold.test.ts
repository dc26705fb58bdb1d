import { describe, expect, it } from 'vitest';
import { assemble } from '../../../src/cli/observe/assemble.js';
import { heartbeatText } from '../../../src/cli/observe/pending.js';
import type { RunFold } from '../../../src/cli/observe/fold/run-fold.js';
import type { RunView } from '../../../src/cli/observe/view/view.js';
import { openGates } from '../../../src/cli/observe/view/view.js';
import { foldOf, recordedEvents } from '../helpers/recorded.js';

const view = (name: string, until = Infinity): RunView => {
  const { run, events } = recordedEvents(name);
  const fold = foldOf(run, events.slice(0, until));
  return assemble(fold, { folds: new Map([[run, fold]]), pending: new Map() });
};
const statuses = (run: RunView): string => run.steps.map(({ status }) => status).join(' ');

it.each([
  [{ characters: 1204 }, '1,204 characters so far'],
  [{ characters: 0 }, null],
  [{ bytes: 5 }, null],
  [null, null],
  ['x', null],
])('the heartbeat %j reads %j', (details, text) => {
  expect(heartbeatText(details)).toBe(text);
});

describe('folding a recorded history', () => {
  it.each([
    ['sequence', 'success', 'success success'],
    ['stored-values', 'success', 'success success'],
    ['failure-continues', 'partial', 'error success'],
    ['failure-stops', 'error', 'error error skipped'],
    ['tries', 'error', 'error'],
    ['gate-by-update', 'success', 'success success'],
    ['gate-by-signal', 'error', 'success error'],
    ['nested', 'success', 'success success success'],
    ['nested.leaf', 'success', 'success'],
  ])('%s: the run ends %s, its steps %s', (name, status, steps) => {
    const run = view(name);
    expect([run.status, statuses(run)]).toEqual([status, steps]);
  });

  it('knows from the first event of a run which blocks it was given to go on with', () => {
    expect(view('batches.each.0-199', 1).steps.find(({ step }) => step.kind === 'foreach')?.status).toBe('running');
  });

  it('takes what begins the next workflow task for no step', () => {
    const { events } = recordedEvents('quick-rows');
    expect(
      events.flatMap((event) =>
        event.kind.startsWith('step-') && 'path' in event ? [`${event.kind} ${event.path}`] : [],
      ),
    ).toEqual(Array.from({ length: 120 }, (_, index) => `step-succeeded ${index}`));
  });

  it('counts the tries of a step, and does not take the first failure for the end', () => {
    const { events } = recordedEvents('tries');
    const secondFailure = events.map(({ kind }) => kind).indexOf('step-failed') + 1;
    expect(statuses(view('tries', secondFailure))).toBe('running');
    expect(view('tries', secondFailure).steps[0]?.doing).toContain('again after: ');
    expect(view('tries').steps[0]?.result?.attempts).toBe(3);
  });

  it('shows an open gate with its address and owner, and waits for a person', () => {
    const { run, events } = recordedEvents('gate-by-update');
    const shown = view('gate-by-update', events.findIndex(({ kind }) => kind === 'gates') + 1);
    expect(shown.status).toBe('waiting');
    expect(statuses(shown)).toBe('success waiting');
    expect(openGates(shown).map(({ address, owner }) => ({ address, owner }))).toEqual([
      { address: `${run}/approve`, owner: run },
    ]);
  });

  it('says who decided a gate, and with what words', () => {
    expect(view('gate-by-update').steps[1]?.result?.note).toBe('approved by ana: seen');
    expect(view('gate-by-signal').steps[1]?.result?.error).toBe('rejected by ana: seen');
  });

  it('skips what had not started when a run was cancelled', () => {
    const run = view('cancelled');
    expect(run.status).toBe('cancelled');
    expect(openGates(run)).toEqual([]);
  });

  it('takes the steps that ended before from what a continued run carries along', () => {
    const run = view('continued');
    expect(run.steps.filter(({ status }) => status === 'success').length).toBeGreaterThanOrEqual(500);
  });

  it('puts a nested run below the step that started it', () => {
    const outer = recordedEvents('nested');
    const inner = recordedEvents('nested.leaf');
    const folds = new Map([
      [outer.run, foldOf(outer.run, outer.events)],
      [inner.run, foldOf(inner.run, inner.events)],
    ]);
    const run = assemble(foldOf(outer.run, outer.events), { folds, pending: new Map() });
    expect(run.steps[1]?.nested?.run).toBe(`${outer.run}/leaf`);
    expect(run.steps[1]?.nested?.steps.map(({ path }) => path)).toEqual(['leaf/0']);
  });

  it('shows the gates and the spend of all runs that agents have open in one conversation', () => {
    const outer = recordedEvents('made-workflow');
    const inner = recordedEvents('made-workflow.work.2-1');
    const fold = foldOf(
      outer.run,
      outer.events.slice(
        0,
        outer.events.findIndex(({ kind }) => kind === 'nested-ended'),
      ),
    );
    const open = (call: string, usd: number): RunFold => {
      const [first] = inner.events;
      if (first?.kind !== 'run-started') throw new Error('Expected a run to begin with its start');
      const path = `work/${call}`;
      const nested = foldOf(`${outer.run}/${path}`, [
        { ...first, input: { ...first.input, path } },
        { kind: 'turn-started', path: `${path}/first`, turn: 1, at: first.at },
      ]);
      nested.top.schedule.spend = { usd, tokens: 10, steps: 1 };
      nested.gates.set(`${path}/first/1.1`, {
        path: `${path}/first/1.1`,
        kind: 'tool',
        message: 'Allow it?',
        content: null,
        hash: 'sha256:x',
        fallback: 'abort',
        since: first.at,
      });
      return nested;
    };
    const folds = new Map([fold, open('2.1', 1), open('2.2', 2)].map((one) => [one.run, one]));
    const shown = assemble(fold, { folds, pending: new Map() });
    expect(openGates(shown).map(({ address, owner }) => [address, owner])).toEqual(
      ['2.1', '2.2'].map((call) => [`${outer.run}/work/${call}/first/1.1`, `${outer.run}/work/${call}`]),
    );
    // Those of both runs, and of the turns so far.
    expect(shown.spend).toMatchObject({ usd: expect.closeTo(3.00014, 9) as number, tokens: 50 });
    expect([shown.status, shown.steps[0]?.status]).toEqual(['waiting', 'running']);
  });
});
