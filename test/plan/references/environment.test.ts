import { describe, expect, it } from 'vitest';
import type { Binding, ResultView } from '../../../src/plan/references/environment.js';
import { bindingToJson, storedIn, viewOf } from '../../../src/plan/references/environment.js';
import type { StepResult } from '../../../src/plan/result.js';
import type { Json } from '../../../src/plan/values/json.js';
import type { StoredValue } from '../../../src/plan/values/value.js';
import { inline } from '../../../src/plan/values/value.js';

const stored = (name: string, length?: number): StoredValue => ({
  ref: `sha256:${name}`,
  bytes: 900,
  ...(length === undefined ? {} : { length }),
});
const view = (output: ResultView['output']): ResultView => ({
  status: 'success',
  error: null,
  duration_ms: 5,
  agent: 'writer',
  step_index: 2,
  id: 'write',
  output,
});
const load = ({ ref }: StoredValue): Json => (ref === 'sha256:list' ? ['a', 'b'] : `content of ${ref}`);

describe('what a reference stands for', () => {
  it.each<[string, Binding | undefined, Json | undefined]>([
    ['nothing where nothing is bound', undefined, undefined],
    ['nothing where it was not given', { missing: true }, undefined],
    ['a small value', inline(0), 0],
    ['a stored value', stored('x'), 'content of sha256:x'],
    ['an item of a stored list', { item: stored('list', 2), at: 1 }, 'b'],
    ['nothing beyond the list', { item: stored('list', 2), at: 2 }, undefined],
    ['nothing of what is no list', { item: stored('x'), at: 0 }, undefined],
    ['a result', { result: view(inline('done')) }, { ...view(null), output: 'done' }],
    ['a result with a stored output', { result: view(stored('x')) }, { ...view(null), output: 'content of sha256:x' }],
    ['a result without an output', { result: view(null) }, { ...view(null), output: null }],
    [
      'results of a group',
      { results: [view(inline(1)), view(null)] },
      [
        { ...view(null), output: 1 },
        { ...view(null), output: null },
      ],
    ],
  ])('is %s', (_, binding, json) => {
    expect(bindingToJson(binding, load)).toEqual(json);
  });

  it('names every stored value that it needs', () => {
    expect(
      storedIn({
        'input:a': inline('x'),
        'input:b': stored('b'),
        'input:c': { missing: true },
        'step:0.output': stored('d'),
        'step:1': { result: view(stored('e')) },
        'step:2': { result: view(null) },
        'group:g': { results: [view(stored('f')), view(inline(1)), view(stored('g'))] },
        item: { item: stored('h', 3), at: 1 },
      }).map(({ ref }) => ref.slice('sha256:'.length)),
    ).toEqual(['b', 'd', 'e', 'f', 'g', 'h']);
  });
});

it('shows of a result what people refer to, its output without its head', () => {
  const result: StepResult = {
    ...view({ ...stored('x', 3), preview: 'head' }),
    status: 'success',
    failure: null,
    attempts: 2,
    spend: { usd: 1, tokens: 2, steps: 1 },
    reused: true,
    note: 'exit 0',
    run: null,
    pages: [inline([])],
  };
  expect(viewOf(result)).toEqual(view(stored('x', 3)));
  expect(viewOf({ ...result, output: null, decided_by: ['ana'], comment: 'fine' })).toEqual({
    ...view(null),
    decided_by: ['ana'],
    comment: 'fine',
  });
});
