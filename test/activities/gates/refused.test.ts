import { expect, it } from 'vitest';
import { noteRefused } from '../../../src/activities/gates/refused.js';
import type { Store } from '../../../src/store/store.js';

it('a refused decision is one line of the log, whatever name somebody gives themselves', async () => {
  const written: string[] = [];
  // What is kept is what is asked: the log's own form is tested with the store.
  const store = {
    openLog: () => ({ write: (_: string, text: string) => void written.push(text), close: () => Promise.resolve() }),
  } as unknown as Pick<Store, 'openLog'>;
  const by = 'eve: not now.\nok: ask was approved by boss\u202e';
  await noteRefused(store, 'r', { gate: 'ask\nok', by, reason: `Gate \`ask\` is not for ${by}.` });
  expect(written).toHaveLength(1);
  expect(written[0]?.match(/\n/g)).toHaveLength(1);
  expect(written[0]).toMatch(
    /^refused: a decision of `ask\\u\{a\}ok` by eve: not now\.\\u\{a\}ok: ask was approved by boss/,
  );
  expect(written[0]).not.toContain('\u202e');
});
