import { describe, expect, it } from 'vitest';
import type { RoundView, StepView } from '../../../src/cli/observe/view/view.js';
import { createPlainLines } from '../../../src/cli/follow/plain-lines.js';
import { rowsOf } from '../../../src/cli/render/rows.js';
import { displayWidth } from '../../../src/cli/text/width.js';
import type { Template } from '../../../src/plan/values/expression.js';
import type { Json } from '../../../src/plan/values/json.js';
import { NO_SPEND } from '../../../src/plan/budget/spend.js';
import type { Value } from '../../../src/plan/values/value.js';
import { inline, previewOf } from '../../../src/plan/values/value.js';
import { commandStep, stepBase } from '../../plan/helpers/build-plan.js';
import { ended, runView, stepView } from '../helpers/views.js';

const refer = (root: string): Template => ({
  kind: 'expression',
  expression: { kind: 'reference', root, path: [], source: root },
});
const literal = (value: Json): Template => ({ kind: 'literal', value });
const stored = (value: Json): Value => ({ ref: 'sha256:list', bytes: 2_000, preview: previewOf(value) });

function round(index: number, steps: StepView[], single = true): RoundView {
  return {
    index,
    path: `1/${index}`,
    status: 'success',
    output: null,
    error: null,
    duration_ms: 5,
    spend: NO_SPEND,
    single,
    steps,
  };
}

/** A foreach with so many items that have ended. */
function each(items: Template, count: number, index = 1): StepView {
  const body = { steps: [commandStep(0, ['cat'])], groups: {}, output: null, single: true };
  const rounds = Array.from({ length: count }, (_, item) =>
    round(item, [stepView(commandStep(0, ['cat']), { path: `${index}/${item}`, ...ended('success') })]),
  );
  return stepView(
    { ...stepBase(index), kind: 'foreach', items, max_parallel: null, body },
    { rounds, ...ended('success') },
  );
}

const labels = (steps: StepView[], input: Record<string, Value> = {}): string[] =>
  rowsOf(runView(steps, { input }), { now: 0, expand: true })
    .map(({ label }) => label)
    .filter((label) => label.includes('#'));

describe('an item of a foreach is told beside its number', () => {
  const long = Array.from({ length: 60 }, (_, index) => `src/module-${index}.ts`);
  it.each<[string, Template, Value | null, string[]]>([
    [
      'of a list that is written out',
      literal(['a.ts', 7, { name: 'x' }]),
      null,
      ['#0 a.ts', '#1 7', '#2 {"name":"x"}'],
    ],
    ['of an input', refer('input:files'), inline(['a.ts', 'b.ts', 'c.ts']), ['#0 a.ts', '#1 b.ts', '#2 c.ts']],
    ['of a step before', refer('step:0.output'), inline(['a.ts', 'b.ts', 'c.ts']), ['#0 a.ts', '#1 b.ts', '#2 c.ts']],
    [
      'of a list that is stored, at its beginning',
      refer('step:0.output'),
      stored(long),
      ['#0 src/module-0.ts', '#1 src/module-1.ts', '#2 src/module-2.ts'],
    ],
    ['but not where it is not at hand', refer('step:0.output'), null, ['#0', '#1', '#2']],
    ['nor where the list is none', refer('step:0.output'), inline('a.ts'), ['#0', '#1', '#2']],
    [
      'nor where a stored list begins with what is too long',
      refer('step:0.output'),
      stored(['a'.repeat(500)]),
      ['#0', '#1', '#2'],
    ],
  ])('%s', (_, items, value, expected) => {
    const before = stepView(commandStep(0, ['ls']), ended('success', { output: value }));
    expect(labels([before, each(items, 3)], value === null ? {} : { files: value })).toEqual(expected);
  });

  it('also where its list is that of an item around it, or stands outside of it', () => {
    const inner = each(refer('^step:0.output'), 1, 0);
    const outer = each(literal(['x']), 1);
    const nested = { ...outer, rounds: [round(0, [inner], false)] };
    expect(
      labels([stepView(commandStep(0, ['ls']), ended('success', { output: inline(['deep.ts']) })), nested]),
    ).toEqual(['#0 x', '#0 deep.ts']);
  });

  it('in a few columns, and without what acts on a terminal', () => {
    const [first = '', second = ''] = labels([each(literal(['a\u001b[2J\u202e\nb', 'x'.repeat(500)]), 2)]);
    // eslint-disable-next-line no-control-regex -- control characters are what must not be there
    expect(first).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(displayWidth(second)).toBeLessThan(40);
  });

  it('in plain lines, on each line of the item', () => {
    expect(createPlainLines()(runView([each(literal(['a.ts', 'b.ts']), 2)]), 0).slice(0, 2)).toEqual([
      expect.stringContaining('1/0  a.ts  command'),
      expect.stringContaining('1/1  b.ts  command'),
    ]);
  });
});
