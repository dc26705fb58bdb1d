import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Conversation, Remark } from '../../../src/plan/agents/conversation.js';
import {
  addRemark,
  remarkRefusal,
  remarksAgain,
  remarksFor,
  remarksTold,
  untold,
  untoldBytes,
} from '../../../src/workflows/state/remarks.js';

const remark = (text: string): Remark => ({ text, by: 'ana' });
/** Only what was said in it is looked at. */
const conversation = (): Conversation => ({}) as Conversation;
/** What another Temporal run gets of it. */
const carried = (state: Conversation): Conversation => JSON.parse(JSON.stringify(state)) as Conversation;

it('tells each remark in one turn, in order, whatever is said meanwhile and how often that turn is asked', () => {
  const act = fc.oneof(
    fc.record({ say: fc.string({ unit: fc.constantFrom('a', 'ü', '👨'), maxLength: 3 }) }),
    fc.constantFrom('ask', 'answer', 'continue', 'anew'),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
      const conversations = new Map([['p', conversation()]]);
      const state = (): Conversation => conversations.get('p')!;
      let said: string[] = [];
      let heard = 0;
      let turn = 1;
      let asked: string[] | null = null;
      for (const one of acts) {
        if (typeof one === 'object') {
          addRemark(conversations, 'p', remark(one.say));
          addRemark(conversations, 'elsewhere', remark('x'));
          said = [...said, one.say];
        }
        if (one === 'ask') {
          const told = remarksFor(state(), turn).map(({ text }) => text);
          // Before anything was said there is nothing to keep.
          if (said.length > 0) asked ??= said.slice(heard);
          expect(told).toEqual(asked ?? []);
        }
        if (one === 'answer') {
          remarksTold(state());
          heard += asked?.length ?? 0;
          if (asked !== null) turn += 1;
          asked = null;
        }
        if (one === 'continue') conversations.set('p', carried(state()));
        if (one === 'anew') {
          conversations.set('p', { ...conversation(), ...remarksAgain(carried(state())) });
          [heard, turn, asked] = [0, 1, null];
        }
        const left = said.slice(heard);
        expect([untold(state()), untoldBytes(state())]).toEqual([left.length, Buffer.byteLength(left.join(''))]);
      }
    }),
    { numRuns: 300 },
  );
});

it('tells twenty things in one conversation at most, and none where there is no conversation', () => {
  const conversations = new Map([['p', conversation()]]);
  for (let count = 0; count < 20; count += 1) {
    expect(remarkRefusal(conversations, 'p')).toBeNull();
    addRemark(conversations, 'p', remark('x'));
  }
  expect(remarkRefusal(conversations, 'p')).toBe(
    'The agent at `p` has been told 20 things already, which is the most.',
  );
  expect(remarkRefusal(conversations, 'q')).toMatch(
    /^No agent is in a conversation at `q` now\. .* uses tools; agents/,
  );
});
