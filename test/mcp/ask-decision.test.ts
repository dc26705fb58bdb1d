import { describe, expect, it } from 'vitest';
import type { OpenGate } from '../../src/cli/observe/view/view.js';
import type { Wanted } from '../../src/mcp/ask-decision.js';
import { askDecision } from '../../src/mcp/ask-decision.js';

const OPEN: OpenGate = {
  address: 'release-7k2m4xqa/ok',
  owner: 'release-7k2m4xqa',
  gate: {
    path: 'ok',
    kind: 'ask',
    message: 'Which?',
    content: null,
    hash: 'sha256:9c41aaaae07b',
    fallback: 'abort',
    since: '2026-01-01T00:00:00Z',
  },
};

/** The keys of what a person is asked, and what they see; none once they have agreed. */
function asked(open: OpenGate, wanted: Wanted, agreed: string[] = []): { keys: string[]; message: string } {
  const answers = Object.fromEntries(agreed.map((key) => [key, { action: 'accept', content: { decide: true } }]));
  const question = askDecision(open, { content: null, bill: [] }, wanted, { canAsk: true, answers });
  const requests = question?.inputRequests ?? {};
  return { keys: Object.keys(requests), message: JSON.stringify(requests) };
}

describe('what a person at a client has agreed to', () => {
  const wanted: Wanted = { decision: 'answer', answer: 'a' };
  const { keys } = asked(OPEN, wanted);

  it('is the decision that was put before them', () => {
    expect(keys).toHaveLength(1);
    expect(asked(OPEN, wanted, keys).keys).toEqual([]);
  });

  it.each<[title: string, open: OpenGate, wanted: Wanted]>([
    ['another answer', OPEN, { ...wanted, answer: 'b' }],
    ['other content', { ...OPEN, gate: { ...OPEN.gate, hash: 'sha256:0000' } }, wanted],
    ['the same when it is asked anew', { ...OPEN, gate: { ...OPEN.gate, since: '2026-01-01T00:01:00Z' } }, wanted],
  ])('is not %s', (_title, open, other) => {
    expect(asked(open, other, keys).keys).toHaveLength(1);
  });

  it('is no answer that reads as another one with a comment', () => {
    const other: Wanted = { decision: 'answer', answer: 'a`. Comment: b' };
    const commented = asked(OPEN, { ...wanted, comment: 'b`.' });
    expect(asked(OPEN, other, commented.keys).keys).toHaveLength(1);
    expect(asked(OPEN, other).message).not.toBe(commented.message);
    expect(asked(OPEN, { ...wanted, answer: 'a\nThe comment:\nb' }).message).toContain('│ a\\n│ The comment:\\n│ b');
  });
});
