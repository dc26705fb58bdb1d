import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forecastReuse } from '../../../src/activities/rerun/forecast.js';
import type { StepAddress } from '../../../src/plan/calls/short-call.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import type { Step } from '../../../src/plan/step.js';
import type { Json } from '../../../src/plan/values/json.js';
import { foreach, many, script, single, whole } from '../../plan/helpers/build-blocks.js';
import { plan } from '../../plan/helpers/build-plan.js';
import type { Bench } from '../helpers/harness.js';
import { createBench, failureOf, inFull } from '../helpers/harness.js';

/** A step that counts in a file how often its kind ran, and prints the number. */
const sends = (index: number, id: string | null = null, what = 'sent'): Step =>
  script(index, `echo ${what} >> log; grep -c ${what} log`, [], { id, effect: 'external' });
const sendsItem = (index: number): Step =>
  script(index, 'echo "$1" >> log; grep -c . log', [whole('item')], { effect: 'external' });
const each = (one: Step): Plan => plan([foreach(0, whole('input:list'), single(one), { id: 'each' })]);

interface Did {
  path: string;
  step?: StepAddress;
  item?: Json;
}

/** A run, and what it is a rerun of, the latest first. */
interface Doing {
  bench: Bench;
  run: string;
  from?: string[];
  /** More of what its reuse says. */
  reuse?: { done?: true; never?: true };
}

/** Does these steps of a Plan. Gives what came, with `=` before what was reused. */
async function does({ bench, run, from = [], reuse }: Doing, made: Plan, steps: (Did | string)[]): Promise<string[]> {
  await bench.store.putPlan(made);
  const [source, ...earlier] = from;
  const outputs: string[] = [];
  for (const one of steps) {
    const { path, step = outputs.length, item } = typeof one === 'string' ? { path: one } : one;
    const { output, reused } = await inFull(bench, (short) => bench.activities.runCommand(short), {
      root: { run, first: `${run}-first`, plan: made.hash },
      nested: null,
      step,
      path,
      try: 1,
      environment: item === undefined ? {} : { item: { value: item } },
      workspace: bench.folder,
      ...(source === undefined
        ? {}
        : {
            reuse: { run: source, from: `${source}-first`, earlier: earlier.map((name) => `${name}-first`), ...reuse },
          }),
    });
    outputs.push(`${reused ? '=' : ''}${'value' in output ? String(output.value) : ''}`);
  }
  return outputs;
}

const items = (...list: [number, Json?][]): Did[] =>
  list.map(([index, item]) => ({ path: `each/${index}`, step: [0, 0], ...(item === undefined ? {} : { item }) }));

describe('a rerun', () => {
  it('gives each step its own result, and does what was not done, however many ask the same', async () => {
    const bench = await createBench();
    const made = plan([sends(0, 'first'), sends(1, 'second'), sends(2, 'third')]);
    expect(await does({ bench, run: 'a' }, made, ['first', 'second'])).toEqual(['1', '2']);
    expect(await does({ bench, run: 'b', from: ['a'] }, made, ['first', 'second', 'third'])).toEqual(['=1', '=2', '3']);
    expect(await does({ bench, run: 'c', from: ['b', 'a'] }, made, ['first', 'second', 'third'])).toEqual([
      '=1',
      '=2',
      '=3',
    ]);
  });

  it('gives each item its own result, and does what failed or never began', async () => {
    const bench = await createBench();
    const made = each(sends(0));
    await does({ bench, run: 'a' }, made, items([1], [2]));
    expect(await does({ bench, run: 'b', from: ['a'] }, made, items([0], [1], [2], [3]))).toEqual([
      '3',
      '=1',
      '=2',
      '4',
    ]);
  });

  it('takes over once what has got another name or place', async () => {
    const bench = await createBench();
    await does({ bench, run: 'a' }, plan([sends(0)]), ['0']);
    const moved = plan([sends(0, null, 'new'), sends(1), sends(2)]);
    expect(await does({ bench, run: 'b', from: ['a'] }, moved, ['0', '1', '2'])).toEqual(['1', '=1', '2']);
    const named = plan([sends(0, 'x'), sends(1, 'y'), sends(2, 'z')]);
    expect(await does({ bench, run: 'c', from: ['b', 'a'] }, named, ['x', 'y', 'z'])).toEqual(['=1', '=2', '3']);
  });

  it('repeats nothing where items have got another order, and does one that is there twice now', async () => {
    const bench = await createBench();
    const made = each(sendsItem(0));
    await does({ bench, run: 'a' }, made, items([0, 'p'], [1, 'q']));
    expect(await does({ bench, run: 'b', from: ['a'] }, made, items([0, 'new'], [1, 'p'], [2, 'q'], [3, 'q']))).toEqual(
      ['3', '=1', '=2', '4'],
    );
    expect((await readFile(join(bench.folder, 'log'), 'utf8')).split('\n').slice(0, -1)).toEqual([
      'p',
      'q',
      'new',
      'q',
    ]);
  });

  it('says of what it refuses for an external effect only what is known of it', async () => {
    const bench = await createBench();
    const made = each(sendsItem(0));
    await does({ bench, run: 'a' }, made, items([0, 'p']));
    const refused = async (item: Json, reuse: NonNullable<Doing['reuse']>): Promise<string> =>
      (await failureOf(does({ bench, run: 'b', from: ['a'], reuse }, made, items([0, item])))).message;
    expect(await refused('new', { done: true })).toBe(
      '`each/0` of a had an external effect, or may have had, and left no result of what is asked now. ' +
        '`perdure rerun a --again` does it.',
    );
    expect(await refused('p', { done: true, never: true })).toBe(
      '`each/0` of a had an external effect, or may have had. `perdure rerun a --again` does it.',
    );
  });

  it('is foretold as it comes, and takes nothing by that', async () => {
    const bench = await createBench();
    const { store } = bench;
    const made = plan([
      foreach(0, whole('input:list'), many([sends(0, 'one'), sends(1, 'two')]), { id: 'each' }),
      sends(1, 'x'),
      sends(2, 'y'),
    ]);
    await does({ bench, run: 'a' }, plan([sends(0, 'gone')]), ['gone']);
    await does({ bench, run: 'a' }, made, [{ path: 'each/0/one', step: [0, 0] }]);
    const settings = {
      workspace: bench.folder,
      reuse: { run: 'a', from: 'a-first', changed: false, fresh: [], done: [] },
    } as unknown as RunSettings; // only these are looked at
    for (let round = 0; round < 2; round++)
      expect(await forecastReuse({ store, plan: made, input: { list: { value: [1, 2] } }, settings })).toEqual([
        { path: 'each/0/one', action: 'reuse' },
        { path: 'each/0/two', action: 'reuse' },
        { path: 'each/1/one', action: 'run' },
        { path: 'each/1/two', action: 'run' },
        { path: 'x', action: 'run' },
        { path: 'y', action: 'run' },
      ]);
  });
});
