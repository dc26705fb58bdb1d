import { describe, expect, it } from 'vitest';
import { answerValue, toContent } from '../../../src/cli/follow/input/answer-value.js';
import type { Gate } from '../../../src/plan/gates/gate.js';
import type { Json } from '../../../src/plan/values/json.js';

const ASK: Gate = {
  path: 'ask',
  kind: 'ask',
  message: 'How many?',
  content: null,
  hash: `sha256:${'a'.repeat(64)}`,
  fallback: 'abort',
  since: '2026-01-01T00:00:00.000Z',
};
const INTEGER = { schema: { type: 'integer' } };
const TEXT = { schema: { type: 'string' } };
const CHOICE = { options: ['yes', 'no', 3, { days: 2 }] };

describe('a typed answer', () => {
  it.each<[typed: string, gate: Partial<Gate>, means: Json]>([
    ['3', {}, '3'],
    ['3', TEXT, '3'],
    ['"3"', TEXT, '"3"'],
    ['null', TEXT, 'null'],
    ['3', INTEGER, 3],
    ['"3"', INTEGER, '3'],
    ['three', INTEGER, 'three'],
    [' {"a": [1]} ', { schema: { type: 'object' } }, { a: [1] }],
    [
      '{"a": {"a": 1}, "__proto__": 2}',
      { schema: { type: 'object' } },
      JSON.parse('{"a":{"a":1},"__proto__":2}') as Json,
    ],
    ['true', { schema: true }, true],
    ['123', { schema: { type: ['string', 'null'] } }, '123'],
    ['null', { schema: { type: ['string', 'null'] } }, null],
    ['1', { schema: { enum: ['1', '2'] } }, '1'],
    ['3', { schema: { enum: ['1', '2'] } }, 3],
    ['1', { schema: { enum: ['1', 1] } }, 1],
    ['yes', CHOICE, 'yes'],
    [' no ', CHOICE, 'no'],
    ['3', CHOICE, 3],
    ['{"days":2}', CHOICE, { days: 2 }],
  ])('`%s` at a gate with %j means %j', async (typed, gate, means) => {
    expect(await answerValue(typed, { ...ASK, ...gate })).toEqual(means);
  });

  it.each<[typed: string, gate: Partial<Gate>, says: RegExp]>([
    ['Yes', CHOICE, /^Gate `ask` takes one of `yes`, `no`, `3`, `\{"days":2\}`, not `Yes`\.$/],
    ['', CHOICE, /^Gate `ask` takes one of/],
    ['yes', { options: [] }, /^Gate `ask` takes one of/],
    ['yes', { kind: 'approval' }, /^Gate `ask` is approved or rejected: it asks for no answer\.$/],
    ['yes', { kind: 'tool' }, /^Gate `ask` is approved or rejected/],
  ])('`%s` at a gate with %j is refused', async (typed, gate, says) => {
    await expect(answerValue(typed, { ...ASK, ...gate })).rejects.toThrow(says);
  });
});

describe('JSON that cannot be passed on', () => {
  it.each([
    ['[1e400]', 'without numbers as large as 1e309'],
    ['12345678901234567891', 'without whole numbers beyond 9007199254740991, which only a text carries exactly'],
    ['{"to": "a", "\\u0074o": "b"}', 'without a key that is written twice, such as `to`'],
    ['[{"a": {"to": 1, "to": 1}}]', 'without a key that is written twice, such as `[0].a.to`'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'without more than 500 levels'],
  ])('is refused as an answer and as an edited content', async (text, says) => {
    await expect(answerValue(text, { ...ASK, schema: {} })).rejects.toThrow(`Expected an answer ${says}.`);
    expect(() => toContent(text, false, 'the edited file')).toThrow(`Expected the edited file to be JSON ${says}.`);
    expect(toContent(text, true, 'the edited file')).toBe(text);
  });
});

describe('what an editor gives back', () => {
  it.each<[text: string, isText: boolean, content: Json]>([
    ['one\ntwo\n', true, 'one\ntwo'],
    ['one\r\n', true, 'one'],
    ['one\n\n', true, 'one\n'],
    ['{"a": 1}\n', true, '{"a": 1}'],
    ['{"a": 1}\n', false, { a: 1 }],
    ['"one"', false, 'one'],
  ])('%j, where it was text: %j, is %j', (text, isText, content) => {
    expect(toContent(text, isText, 'the edited file')).toEqual(content);
  });

  it('is refused where it is no JSON and what was shown was', () => {
    expect(() => toContent('{"a": 1', false, 'the edited file')).toThrow(
      /^Expected the edited file to be JSON, as what the gate shows: /,
    );
  });
});
