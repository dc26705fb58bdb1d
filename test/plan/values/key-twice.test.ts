import { describe, expect, it } from 'vitest';
import { keyTwice } from '../../../src/plan/values/key-twice.js';

describe('a key that JSON has twice in one map', () => {
  it.each([
    ['{"a": 1, "a": 2}', 'a'],
    ['{"a": 1, "\\u0061": 2}', 'a'],
    ['{"a": {"b": [0, {"c": 1, "d": [], "c": 2}]}}', 'a.b[1].c'],
    ['[{"x": "a"}, {"x": {}, "x": "}"}]', '[1].x'],
    ['{"__proto__": 1, "__proto__": 2}', '__proto__'],
    [`${'['.repeat(100_000)}{"a":1,"a":2}${']'.repeat(100_000)}`, `${'[0]'.repeat(100_000)}.a`],
    ['{"\\\\": 1, "b\\"": "\\\\\\"", "b\\"": 3}', 'b"'],
  ])('is named by its path: %#', (text, path) => {
    expect(keyTwice(text)).toBe(`a key that is written twice, such as \`${path}\``);
  });

  it.each([
    '{"a": 1, "b": {"a": 2}, "c": [{"a": 1}, {"a": "a"}]}',
    '{"a": "\\"a\\": 1, ", "b": "{"}',
    '["a", "a"]',
    '5',
  ])('is none in %s', (text) => {
    expect(keyTwice(text)).toBeNull();
  });
});
