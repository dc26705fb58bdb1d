import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { forecastReuse } from '../../../src/activities/rerun/forecast.js';
import { reuseFor } from '../../../src/plan/calls/reuse.js';
import { segmentOf } from '../../../src/plan/plan.js';
import type { ReuseSettings, RunSettings } from '../../../src/plan/run-input.js';
import type { Value } from '../../../src/plan/values/value.js';
import { script } from '../../plan/helpers/build-blocks.js';
import { needs, plan } from '../../plan/helpers/build-plan.js';
import type { Bench } from '../helpers/harness.js';
import { createBench, inFull } from '../helpers/harness.js';

/** `fix` mends once it may; of those that look at what it mends one comes after it, and one is beside it. */
const made = plan([
  script(0, 'test -f go && echo mended > state', [], { id: 'fix' }),
  script(1, 'cat state 2>/dev/null || echo broken', [], { id: 'check', needs: needs(0) }),
  script(2, 'cat state 2>/dev/null || echo broken', [], { id: 'beside' }),
  script(3, 'echo constant', [], { id: 'pure', effect: 'none', needs: needs(0) }),
  { ...script(4, 'cat state', [], { id: 'named', effect: 'none', needs: needs(0) }), reads: ['state'] },
]);

/** What a rerun of runs takes over, the latest first. */
const settingsOf = (...sources: string[]): ReuseSettings => {
  const [source, ...earlier] = sources.map((run) => ({ run, from: `${run}-first`, changed: false }));
  return { run: '', from: '', changed: false, ...source, earlier, fresh: [], done: [] };
};

const isKept = (entries: [key: string, ...unknown[]][], path: string): boolean =>
  entries.some(([key]) => key.startsWith('content ') && key.endsWith(` ${path}`));
const textOf = (output: Value | null): string => (output !== null && 'value' in output ? String(output.value) : '');

/** Does the steps of a Plan, in a rerun of runs, the latest first. Gives what each came to, `=` before a reused one. */
async function does(bench: Bench, run: string, ids: string[], sources: string[] = []): Promise<Record<string, string>> {
  await bench.store.putPlan(made);
  const came: Record<string, string> = {};
  for (const step of made.steps.filter((one) => ids.includes(segmentOf(one)))) {
    const path = segmentOf(step);
    const reuse = sources.length === 0 ? {} : { reuse: reuseFor(settingsOf(...sources), { step, path, agents: {} }) };
    const call = {
      root: { run, first: `${run}-first`, plan: made.hash },
      nested: null,
      step: step.index,
      path,
      try: 1,
      environment: {},
      workspace: bench.folder,
      ...reuse,
    };
    const end = await inFull(bench, (short) => bench.activities.runCommand(short), call).catch(() => null);
    // What later runs may take over is written beside what the step does.
    if (end !== null) await vi.waitUntil(async () => isKept(await bench.store.listJournal(call.root.first), path));
    came[path] = end === null ? 'failed' : `${end.reused ? '=' : ''}${textOf(end.output)}`;
  }
  return came;
}

/** What is foretold of such a rerun. */
async function foretold(bench: Bench, ...sources: string[]): Promise<Record<string, string>> {
  const settings = { workspace: bench.folder, reuse: settingsOf(...sources) } as unknown as RunSettings; // all it reads
  const told = await forecastReuse({ store: bench.store, plan: made, input: {}, settings });
  return Object.fromEntries(told.map(({ path, action }) => [path, action]));
}

const ALL = ['fix', 'check', 'beside', 'pure', 'named'];

it('a step that runs anew and may change files has those after it look again, and nothing else', async () => {
  const bench = await createBench();
  const first = await does(bench, 'a', ALL);
  expect(first).toMatchObject({ fix: 'failed', check: 'broken', beside: 'broken', pure: 'constant', named: 'failed' });
  await writeFile(join(bench.folder, 'go'), '');
  expect(await foretold(bench, 'a')).toEqual({
    fix: 'run',
    check: 'run',
    beside: 'reuse',
    pure: 'reuse',
    named: 'may_run',
  });
  expect(await does(bench, 'b', ALL, ['a'])).toEqual({
    fix: '',
    check: 'mended',
    beside: '=broken',
    pure: '=constant',
    named: 'mended',
  });
  expect(await foretold(bench, 'b', 'a')).toEqual(Object.fromEntries(ALL.map((id) => [id, 'reuse'])));
  expect(await does(bench, 'c', ALL, ['b', 'a'])).toEqual({
    fix: '=',
    check: '=mended',
    beside: '=broken',
    pure: '=constant',
    named: '=mended',
  });
});

it('what a rerun changed before it ended early holds for the rerun of it', async () => {
  const bench = await createBench();
  await does(bench, 'a', ALL);
  await writeFile(join(bench.folder, 'go'), '');
  expect(await does(bench, 'b', ['fix'], ['a'])).toEqual({ fix: '' });
  expect(await foretold(bench, 'b', 'a')).toMatchObject({ fix: 'reuse', check: 'run', beside: 'reuse' });
  expect(await does(bench, 'c', ['fix', 'check'], ['b', 'a'])).toEqual({ fix: '=', check: 'mended' });
});
