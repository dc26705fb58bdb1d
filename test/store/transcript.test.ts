import { expect, it } from 'vitest';
import type { Json } from '../../src/plan/values/json.js';
import { createValueFiles } from '../../src/store/values/value-files.js';
import { appendMessage, loadValue, readMessage, readTranscript } from '../../src/store/transcript.js';
import { temporaryFolder } from './helpers/harness.js';

it('reads what was said up to a message, the first first, along each of two ways', async () => {
  const store = createValueFiles(await temporaryFolder());
  const first = await appendMessage(store, null, { role: 'user', text: 'a' });
  const one = await appendMessage(store, first, { role: 'assistant', text: 'b' });
  const other = await appendMessage(store, first, { role: 'assistant', text: 'c' });
  const texts = async (head: typeof first): Promise<Json[]> =>
    (await readTranscript(store, head)).map(({ text }) => text ?? null);
  expect([await texts(first), await texts(one), await texts(other)]).toEqual([['a'], ['a', 'b'], ['a', 'c']]);
  expect(await readMessage(store, other)).toEqual({ role: 'assistant', text: 'c' });
});

it.each<Json>([
  'x',
  null,
  [],
  {},
  { message: {} },
  { parent: null },
  { parent: null, message: 'x' },
  { parent: 1, message: {} },
])('takes %j for no message', async (value) => {
  const store = createValueFiles(await temporaryFolder());
  const { ref } = await store.putAlways(value);
  const refusal = `Expected the stored value \`${ref}\` to be a message of a transcript.`;
  await expect(readMessage(store, ref)).rejects.toThrow(refusal);
  const child = await appendMessage(store, ref, { role: 'user' });
  await expect(readTranscript(store, child)).rejects.toThrow(refusal);
});

it('loads a value whatever its size, and none for none', async () => {
  const store = createValueFiles(await temporaryFolder());
  for (const value of ['x', 'x'.repeat(2_000), [1, null]])
    expect(await loadValue(await store.put(value), store)).toEqual(value);
  expect(await loadValue(null, store)).toBeNull();
});
