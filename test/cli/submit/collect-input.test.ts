import { describe, expect, it } from 'vitest';
import type { GivenInput } from '../../../src/cli/submit/collect-input.js';
import { collectInput } from '../../../src/cli/submit/collect-input.js';
import { flagOf, parseLimits, settleLimits } from '../../../src/cli/submit/limits.js';
import { checkRunId, newRunId } from '../../../src/cli/submit/run-id.js';
import { RUN_ID } from '../../../src/plan/names.js';
import { DEFAULT_BUDGETS, LIMITS } from '../../../src/plan/budget/budgets.js';
import type { Json } from '../../../src/plan/values/json.js';
import type { InputSpec } from '../../../src/plan/step.js';
import { commandStep, plan } from '../../plan/helpers/build-plan.js';

const spec = (type: InputSpec['type'], more: Partial<InputSpec> = {}): InputSpec => ({
  type,
  required: false,
  description: null,
  ...more,
});
const uses = (name: string) => ({
  kind: 'expression' as const,
  expression: { kind: 'reference' as const, root: `input:${name}`, path: [], source: name },
});

const workflow = plan([{ ...commandStep(0, ['cat'], { id: 'read' }), stdin: uses('text') }], {
  inputs: {
    text: spec('string', { required: true }),
    count: spec('number', { default: 2 }),
    pages: spec('integer'),
    deep: spec('boolean'),
    names: spec('list'),
    options: spec('object'),
    any: spec('any'),
    request: spec('string'),
  },
});
const given = (more: Partial<GivenInput>): GivenInput => ({ pairs: [], file: null, request: null, ...more });

describe('the input of a run', () => {
  it('takes values in the types that the definition declares, and fills in defaults', () => {
    const pairs = ['text=a=b', 'deep=true', 'names=["x"]', 'options={"k":1}', 'any=5', 'count=1.5', 'pages=1e1'];
    expect(collectInput(workflow, given({ pairs }))).toEqual({
      text: 'a=b',
      count: 1.5,
      pages: 10,
      deep: true,
      names: ['x'],
      options: { k: 1 },
      any: '5',
    });
    expect(collectInput(workflow, given({ pairs: ['text='] }))).toEqual({ text: '', count: 2 });
  });

  it('lets the command line go before the file, and the request stand for its input', () => {
    expect(
      collectInput(workflow, given({ file: { text: 'file', count: 7 }, pairs: ['text=line'], request: 'do it' })),
    ).toEqual({ text: 'line', count: 7, request: 'do it' });
  });

  it.each([
    [{ pairs: ['text'] }, 'Expected `-i name=value`, got `-i text`.'],
    [{ pairs: ['=x'] }, 'Expected `-i name=value`, got `-i =x`.'],
    [{ pairs: ['txt=1'] }, 'The definition `test` has no input `txt`.'],
    [{ pairs: ['__proto__=1'] }, 'The definition `test` has no input `__proto__`.'],
    [{ pairs: ['text=a', 'count=many'] }, 'Expected the input `count` to be a number, got `many`.'],
    [{ pairs: ['text=a', 'count='] }, 'Expected the input `count` to be a number, got ``.'],
    [{ pairs: ['text=a', 'deep=yes'] }, 'Expected the input `deep` to be `true` or `false`, got `yes`.'],
    [{ pairs: ['text=a', 'names={}'] }, 'Expected the input `names` to be a list, as JSON, got `{}`.'],
    [{ pairs: ['text=a', 'pages=1.5'] }, 'Expected the input `pages` to be a whole number, got `1.5`.'],
    [{ file: { text: 'a', pages: 1.5 } }, 'Expected the input `pages` to be a whole number, got `1.5` (number).'],
    [{ file: { text: 'a', pages: '1' } }, 'Expected the input `pages` to be a whole number, got `"1"` (string).'],
    [
      { pairs: ['text=a', 'count=1e309'] },
      'Expected the numbers of the input `count` to be finite, and whole ones at most 9007199254740991; got `1e309`.',
    ],
    [
      { pairs: ['text=a', 'count=9007199254740993'] },
      'Expected the numbers of the input `count` to be finite, and whole ones at most 9007199254740991; got ' +
        '`9007199254740993`.',
    ],
    [
      { pairs: ['text=a', 'options={"a":[1e309]}'] },
      'Expected the numbers of the input `options` to be finite, and whole ones at most 9007199254740991; got ' +
        '`{"a":[1e309]}`.',
    ],
    [
      { file: { text: 'a', count: Number.NaN } },
      'Expected the numbers of the input `count` to be finite, and whole ones at most 9007199254740991; got `NaN`.',
    ],
    [
      { pairs: ['text=a', 'options={"a":1,"a":2}'] },
      'Expected the input `options` to be JSON without a key that is written twice, such as `a`.',
    ],
    [
      { pairs: ['text=a', 'request=b'], request: 'c' },
      'The input `request` is given twice: by `-i request=…` and by the request argument, which stands for it.',
    ],
    [{ file: { text: 3 } }, 'Expected the input `text` to be a text, got `3` (number).'],
    [{ file: ['x'] }, 'Expected the file of `--inputs` to hold a map of names to values.'],
    [{}, 'The definition `test` needs the input `text`, which `read` needs.'],
  ])('refuses %j in one sentence', (more, message) => {
    expect(() => collectInput(workflow, given(more))).toThrow(expect.objectContaining({ message, exit: 2 }) as Error);
  });

  it('refuses what is nested deeper than anything could pass on', () => {
    const options = JSON.parse(`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`) as Json;
    const message = 'Expected the input `options` to have at most 500 levels.';
    expect(() => collectInput(workflow, given({ file: { text: 'a', options } }))).toThrow(
      expect.objectContaining({ message, exit: 2 }) as Error,
    );
  });
});

describe('limits', () => {
  it('are the smallest of those that are set, and a default only where none is', () => {
    expect(settleLimits({}, { max_steps: 500 }, { max_steps: 200, max_cost_usd: null }, undefined)).toEqual({
      ...DEFAULT_BUDGETS,
      max_steps: 200,
    });
  });

  it.each(['0', '-1', '1.5', 'x', '', '1e9'])('`--max-steps %s` is refused', (typed) => {
    expect(() => parseLimits((flag) => (flag === 'max-steps' ? typed : null))).toThrow(
      'Expected `--max-steps` to be a positive whole number',
    );
  });

  it('have one flag each', () => {
    expect(LIMITS.map(flagOf)).toEqual(['max-steps', 'max-parallel', 'max-runtime-mins', 'max-cost-usd', 'max-tokens']);
    expect(parseLimits((flag) => (flag === 'max-cost-usd' ? '0.5' : null)).max_cost_usd).toBe(0.5);
  });
});

describe("a run's id", () => {
  it('is made of the name and eight digits of base 32, and always one that `--id` takes', () => {
    expect(newRunId('hello')).toMatch(/^hello-[a-z2-7]{8}$/);
    for (const name of ['ä/b', '../x', '', '-', 'x'.repeat(300)]) expect(newRunId(name)).toMatch(RUN_ID);
  });

  it.each(['', '../x', 'a/b', 'a\u001b[31m', '-a', 'x'.repeat(129)])('%j is refused', (id) => {
    expect(() => checkRunId(id)).toThrow(/^Expected a run's id of letters/);
  });
});
