// @seconds 10
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assemble } from '../../../src/cli/observe/assemble.js';
import { readTruth } from '../../../src/cli/observe/view/truth.js';
import { everyStepView } from '../../../src/cli/observe/view/view.js';
import type { Expression } from '../../../src/plan/values/expression.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { RunOutcome } from '../../../src/plan/result.js';
import {
  echo,
  foreach,
  literal,
  loop,
  many,
  reference,
  script,
  set,
  single,
  textOf,
  wait,
  whole,
} from '../../plan/helpers/build-blocks.js';
import { after, commandStep, needs, plan } from '../../plan/helpers/build-plan.js';
import { foldOf, outcomeOf as endOf, roundsOf } from '../helpers/ended.js';
import type { Harness, StartOptions } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const INPUTS: Plan['inputs'] = { list: { type: 'list', required: true, description: null } };

async function outcomeOf(made: Plan, options?: StartOptions): Promise<RunOutcome> {
  return endOf(await harness.start(made, options));
}

describe('a foreach', () => {
  it('yields its outputs in the order of the items, whichever ends first', async () => {
    const step = foreach(
      0,
      whole('input:list'),
      single(
        script(0, 'test "$1" = a && sleep 0.3; printf "%s" "$1$2"', [whole('item'), whole('index')], {
          timeout_ms: 20_000,
        }),
      ),
      { id: 'each' },
    );
    const outcome = await outcomeOf(plan([step], { inputs: INPUTS }), { input: { list: ['a', 'b', 'c'] } });
    expect(outcome.status).toBe('success');
    expect(await harness.json(outcome.output)).toEqual(['a0', 'b1', 'c2']);
    expect((await roundsOf(harness, outcome, 'each')).map(({ index, status }) => [index, status])).toEqual([
      [0, 'success'],
      [1, 'success'],
      [2, 'success'],
    ]);
  });

  it('goes through a stored list, reads steps around it, and nests', async () => {
    const list = {
      ...script(
        0,
        'node -e "console.log(JSON.stringify(Array.from({length:60},(_,i)=>({name:i,parts:[i,i+1]}))))"',
        [],
        { id: 'list', timeout_ms: 20_000 },
      ),
      schema: { type: 'array' },
    };
    const inner = foreach(
      1,
      whole('^item', 'parts'),
      single(echo(0, textOf({ root: '^^step:1.output' }, ':', { root: '^step:0.output' }, ':', { root: 'item' }))),
      { needs: needs(0) },
    );
    const each = foreach(
      2,
      whole('step:0.output'),
      many([echo(0, textOf('n', { root: 'index' })), { ...inner, items: whole('item', 'parts') }]),
      { id: 'each', needs: needs(0, 1) },
    );
    const outcome = await outcomeOf(plan([list, echo(1, literal('p'), { needs: needs(0) }), each]));
    expect(outcome.error).toBe(null);
    const output = (await harness.json(outcome.output)) as string[][];
    expect(output).toHaveLength(60);
    expect(output[59]).toEqual(['p:n59:59', 'p:n59:60']);
  });

  const failing = (on_error: 'continue' | 'stop' | 'skip_dependents'): Plan =>
    plan(
      [
        foreach(0, whole('input:list'), single(script(0, 'test "$1" != bad && printf "%s" "$1"', [whole('item')])), {
          id: 'each',
          on_error,
          max_parallel: 1,
        }),
        echo(1, textOf('saw ', { root: 'step:0.output' }), { needs: needs(0) }),
      ],
      { inputs: INPUTS },
    );

  it.each([
    ['continue', 'partial', ['success', 'success'], ['success', 'error', 'success']],
    ['skip_dependents', 'error', ['error', 'skipped'], ['success', 'error', 'success']],
    ['stop', 'error', ['error', 'skipped'], ['success', 'error']],
  ] as const)('with on_error %s ends as %s when an item fails', async (policy, status, steps, items) => {
    const outcome = await outcomeOf(failing(policy), { input: { list: ['x', 'bad', 'y'] } });
    const results = await harness.results(outcome);
    expect([outcome.status, [results['each']?.status, results['1']?.status]]).toEqual([status, steps]);
    expect((await roundsOf(harness, outcome, 'each')).map((item) => item.status)).toEqual(items);
    if (policy === 'continue') expect(await harness.json(results['each']?.output ?? null)).toEqual(['x', null, 'y']);
  });

  it('fails clearly over what is no list, and does nothing for an empty one', async () => {
    const made = plan([foreach(0, whole('input:list'), single(echo(0, whole('item'))))], { inputs: INPUTS });
    expect((await outcomeOf(made, { input: { list: 'text' } })).error).toContain(
      'Expected a list to go through, got `"text"`',
    );
    const empty = await outcomeOf(made, { input: { list: [] } });
    expect([empty.status, await harness.json(empty.output)]).toEqual(['success', []]);
  });
});

describe('a loop', () => {
  it('runs until its condition holds in the round that has just ended, and reads the round before', async () => {
    const body = single(
      script(0, 'printf "%sx" "$1"', [
        {
          kind: 'expression',
          expression: { kind: 'coalesce', left: reference('last:0.output'), right: { kind: 'literal', value: '' } },
        },
      ]),
    );
    const until: Expression = {
      kind: 'binary',
      operator: '==',
      left: { kind: 'call', name: 'length', operands: [reference('step:0.output')] },
      right: { kind: 'literal', value: 4 },
    };
    const outcome = await outcomeOf(plan([loop(0, until, body, { id: 'grow' })]));
    expect([outcome.status, await harness.json(outcome.output)]).toEqual(['success', 'xxxx']);
    expect((await roundsOf(harness, outcome, 'grow')).map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  });

  it.each([
    ['error', 'error'],
    ['continue', 'success'],
  ] as const)('at its last round with at_max %s is %s', async (at_max, status) => {
    const outcome = await outcomeOf(
      plan([loop(0, { kind: 'literal', value: false }, single(echo(0, whole('index'))), { at_max, max: 3 })]),
    );
    expect(outcome.status).toBe(status);
    if (status === 'success') expect(await harness.json(outcome.output)).toBe('2');
    else expect(outcome.error).toContain('did not hold after 3 rounds');
  });

  it('with on_error continue goes on after rounds that fail, and fails as its last round does', async () => {
    const second: Expression = {
      kind: 'binary',
      operator: '==',
      left: reference('index'),
      right: { kind: 'literal', value: 1 },
    };
    const rounds = (test: string): Plan =>
      plan([
        loop(0, second, single(script(0, `${test}; echo "$1"`, [whole('index')])), {
          id: 'again',
          on_error: 'continue',
          max: 2,
        }),
        echo(1, literal('after'), { needs: after(0) }),
      ]);
    const mended = await outcomeOf(rounds('test "$1" = 1 || exit 3'));
    expect([mended.status, await harness.json((await harness.results(mended))['again']?.output ?? null)]).toEqual([
      'success',
      '1',
    ]);
    expect((await roundsOf(harness, mended, 'again')).map(({ status }) => status)).toEqual(['error', 'success']);
    const never = await outcomeOf(rounds('exit 3'));
    expect(never.status).toBe('partial');
    expect(await harness.results(never)).toMatchObject({ again: { status: 'error' }, 1: { status: 'success' } });
  });

  it('that fails in its body fails, with what its body said', async () => {
    const outcome = await outcomeOf(
      plan([
        loop(
          0,
          { kind: 'literal', value: true },
          many([echo(0, literal('a')), commandStep(1, ['false'], { id: 'breaks', needs: after(0) })]),
        ),
      ]),
    );
    expect([outcome.status, outcome.error]).toEqual(['error', expect.stringContaining('breaks: ')]);
  });
});

describe('set, wait and finally', () => {
  it('computes values of any type, also from stored ones', async () => {
    const big = script(0, 'head -c 3000 /dev/zero | tr "\\0" a', [], { timeout_ms: 20_000 });
    const values = set(
      1,
      {
        n: { kind: 'expression', expression: { kind: 'call', name: 'length', operands: [reference('step:0.output')] } },
        t: literal('x'),
      },
      { needs: needs(0) },
    );
    const outcome = await outcomeOf(
      plan([
        big,
        values,
        echo(2, textOf({ root: 'step:1.output' }), { needs: needs(1) }),
        { ...set(3, { n: whole('step:1.output', 'n') }), needs: needs(1, 2) },
      ]),
    );
    expect(await harness.json(outcome.output)).toEqual({ n: 3000 });
  });

  it('waits by a durable timer', async () => {
    const handle = await harness.start(plan([wait(0, 300), echo(1, literal('on'), { needs: after(0) })]));
    await handle.result();
    expect((await harness.events(handle.workflowId)).filter(({ type }) => /timer/i.test(type))).toHaveLength(2);
  });

  const cleanup = (marker: string): Plan =>
    plan([
      script(0, 'exit 3', [], { id: 'work' }),
      echo(1, literal('never'), { needs: after(0) }),
      script(2, `echo done >> "$1"`, [literal(marker)], {
        id: 'cleanup',
        always: true,
        needs: after(0, 1),
        timeout_ms: 20_000,
      }),
    ]);

  it('runs what is to run always after a failure that stopped the run', async () => {
    const marker = join(harness.folder, 'stopped');
    const outcome = await outcomeOf(cleanup(marker));
    const results = await harness.results(outcome);
    expect([outcome.status, results['1']?.status, results['cleanup']?.status]).toEqual(['error', 'skipped', 'success']);
    expect(await readFile(marker, 'utf8')).toBe('done\n');
  });

  it('runs what is to run always when the run is cancelled', async () => {
    const marker = join(harness.folder, 'cancelled');
    const ready = join(harness.folder, 'ready');
    const made = plan([
      script(0, 'echo up > "$1"; sleep 60', [literal(ready)], { timeout_ms: 90_000 }),
      script(1, 'echo done >> "$1"', [literal(marker)], { always: true, needs: after(0), timeout_ms: 20_000 }),
    ]);
    const handle = await harness.start(made);
    await expect.poll(() => readFile(ready, 'utf8').catch(() => '')).toBe('up\n');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect(await readFile(marker, 'utf8')).toBe('done\n');
  });
});

describe('what history alone tells of items and rounds', () => {
  it('agrees with what the interpreter wrote', async () => {
    const inner = foreach(
      0,
      whole('input:list'),
      many([echo(0, whole('item')), script(1, 'test "$1" != b', [whole('item')], { id: 'check', needs: after(0) })]),
      { id: 'each', on_error: 'continue' },
    );
    const rounds = loop(
      1,
      { kind: 'binary', operator: '==', left: reference('index'), right: { kind: 'literal', value: 2 } },
      single(echo(0, whole('index'))),
      { id: 'rounds', needs: after(0) },
    );
    const handle = await harness.start(
      plan(
        [
          inner,
          rounds,
          { ...set(2, { all: whole('step:1.output') }), needs: needs(1) },
          echo(3, literal('end'), { needs: after(2) }),
        ],
        { inputs: INPUTS },
      ),
      { input: { list: ['a', 'b'] } },
    );
    const outcome = await handle.result();
    const fold = await foldOf(handle);
    const views = (): [string, string][] =>
      everyStepView(assemble(fold, { folds: new Map(), pending: new Map() }).steps).map(({ path, status }) => [
        path,
        status,
      ]);
    const folded = views();
    fold.truth = await readTruth(harness.store, fold.input.plan, '', outcome.pages);
    expect(folded).toEqual(views());
    expect(Object.fromEntries(folded)).toEqual({
      each: 'success',
      'each/0/0': 'success',
      'each/0/check': 'success',
      'each/1/0': 'success',
      'each/1/check': 'error',
      rounds: 'success',
      'rounds/0': 'success',
      'rounds/1': 'success',
      'rounds/2': 'success',
      2: 'success',
      3: 'success',
    });
  });
});
