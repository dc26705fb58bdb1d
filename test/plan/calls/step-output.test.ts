import { describe, expect, it } from 'vitest';
import type { StepOutput } from '../../../src/plan/calls/step-output.js';
import { noteOf, shortOutput, tokensText, wholeOutput } from '../../../src/plan/calls/step-output.js';
import { inline } from '../../../src/plan/values/value.js';

const REF = `sha256:${'a'.repeat(64)}` as const;
const plain: StepOutput = {
  output: inline('done'),
  spend: { usd: 0, tokens: 0, steps: 1 },
  note: null,
  reused: false,
};

describe('an output in history', () => {
  it.each<[string, Partial<StepOutput>, string[]]>([
    ['of nothing', { output: inline(null) }, ['value']],
    ['of a command', { note: 'exit 0' }, ['value', 'note']],
    ['of a model', { spend: { usd: 0.5, tokens: 1_204, steps: 1 }, note: '1,204 tokens' }, ['value', 'spend']],
    ['of a model without a price', { spend: { usd: null, tokens: 5, steps: 1 }, note: '5 tokens' }, ['value', 'spend']],
    ['of what costs and has no tokens', { spend: { usd: 0.5, tokens: 0, steps: 1 } }, ['value', 'spend']],
    [
      'of what costs nothing and has tokens',
      { spend: { usd: 0, tokens: 9, steps: 1 }, note: '9 tokens' },
      ['value', 'spend'],
    ],
    ['of many steps', { spend: { usd: 0, tokens: 0, steps: 3 } }, ['value', 'spend']],
    [
      'of a model that is noted otherwise',
      { spend: { usd: 1, tokens: 5, steps: 1 }, note: null },
      ['value', 'spend', 'note'],
    ],
    ['of an earlier run', { reused: true }, ['value', 'reused']],
    ['of a quick step', { path: 'a/b' }, ['value', 'path']],
    ['that is stored', { output: { ref: REF, bytes: 900, preview: 'x' } }, ['output']],
  ])('%s says no more than it must, and comes back whole', (_, more, keys) => {
    const output = { ...plain, ...more };
    const short = shortOutput(output);
    expect(Object.keys(short).sort()).toEqual(keys.sort());
    expect(wholeOutput(short)).toEqual(output);
  });

  it('of a device stays as it is', () => {
    const output = { output: inline(5), spend: { usd: 0, tokens: 0, steps: 1 }, note: null, reused: false };
    expect(wholeOutput(output)).toEqual(output);
  });
});

it.each([
  [0, null],
  [1, '1 tokens'],
  [999, '999 tokens'],
  [1_000, '1,000 tokens'],
  [18_204, '18,204 tokens'],
  [1_234_567, '1,234,567 tokens'],
])('notes %i tokens as %j', (tokens, note) => {
  expect(noteOf({ usd: 0, tokens, steps: 1 })).toBe(note);
  if (note !== null) expect(tokensText(tokens)).toBe(note);
});
