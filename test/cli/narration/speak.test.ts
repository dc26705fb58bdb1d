import { expect, it } from 'vitest';
import { createSpeak } from '../../../src/cli/narration/speak.js';
import type { Question } from '../../../src/activities/narration/ask-teller.js';
import type { NarrationLine } from '../../../src/plan/narration/record.js';
import type { Json } from '../../../src/plan/values/json.js';
import { happening } from '../../plan/narration/happenings.js';

const never = new AbortController().signal;
const SCENE = { goal: 'A clock.', spec: null };

/** A narrator whose model says this, one after the other; null is no answer. */
function speaking(texts: (string | null)[], before: NarrationLine[] = []) {
  const asked: Question[] = [];
  const said: NarrationLine[] = [];
  const speak = createSpeak({
    scene: SCENE,
    before,
    ask: async (question): Promise<Json> => {
      asked.push(question);
      const message = texts.shift() ?? null;
      return message === null ? null : { mood: 'excited', message };
    },
    say: async (line) => void said.push(line),
  });
  const tell = (path: string, signal = never): Promise<number | null> =>
    speak(happening('started', { task: path, path }), signal);
  return { tell, asked, said: () => said.map((line) => (line.kind === 'message' ? `${line.from}: ${line.text}` : '')) };
}

it('says what its model says, and a template where it says nothing; templates take turns', async () => {
  const { tell, said } = speaking(['One.', null, null]);
  for (const path of ['a', 'b', 'c']) await tell(path);
  expect(said()).toEqual([
    'model: One.',
    'template: Bo starts with “Set up”. Here we go!',
    'template: Next comes “Set up”, and Bo is on it!',
  ]);
});

it('does not repeat itself, and reminds its model of the last five messages', async () => {
  const { tell, said, asked } = speaking(['1', '2', '3', '4', '5', '6', '6', '1']);
  for (const path of 'abcdefgh') await tell(path);
  expect(said()).toEqual(['1', '2', '3', '4', '5', '6', '1'].map((text) => `model: ${text}`));
  expect(asked.at(-1)?.prompt).toContain('<before>\n2\n3\n4\n5\n6\n</before>');
});

it('tells nothing twice, also of what others told or asked before', async () => {
  const at = '2026-11-25T10:00:00.000Z';
  const { tell, asked } = speaking(
    ['One.', 'Two.'],
    [
      { kind: 'asked', at, key: 'a started', by: 'narrator', most: { usd: 0, tokens: 0 } },
      { kind: 'message', at, key: 'b started', task: 'b', mood: 'excited', text: 'Hm.', from: 'template' },
    ],
  );
  expect([await tell('a'), await tell('b'), await tell('c'), await tell('c')]).toEqual([
    null,
    null,
    expect.any(Number),
    null,
  ]);
  expect(asked).toHaveLength(1);
});

it('says nothing once the run has ended, whatever the answer', async () => {
  const { tell, said } = speaking(['One.', null]);
  const over = AbortSignal.abort();
  await tell('a', over);
  await tell('b', over);
  expect(said()).toEqual([]);
});
