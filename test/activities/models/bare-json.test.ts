import { expect, it } from 'vitest';
import { bareJson } from '../../../src/activities/models/judge.js';

it.each([
  ['{"a":1}', '{"a":1}'],
  ['```json\n{"a":1}\n```', '{"a":1}'],
  ['  ```\n\n{"a":1}\n\n```\n', '{"a":1}'],
  ['```json  \r\n{"a":1}\r\n```', '{"a":1}'],
  ['```\n{"a":1}```', '{"a":1}'],
  ['```json\n{"a":"```"}\n```', '{"a":"```"}'],
  ['```\n```', ''],
  ['```json\n{"a":1}', '```json\n{"a":1}'],
  ['```yaml\n{"a":1}\n```', '```yaml\n{"a":1}\n```'],
  ['Here:\n```json\n{"a":1}\n```', 'Here:\n```json\n{"a":1}\n```'],
  ['```', '```'],
  ['', ''],
])('JSON is taken out of a fence around all of it: %j', (text, bare) => {
  expect(bareJson(text)).toBe(bare);
});
