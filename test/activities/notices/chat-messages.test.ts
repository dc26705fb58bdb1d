import { describe, expect, it } from 'vitest';
import { slackMessage, teamsMessage } from '../../../src/activities/notices/chat-messages.js';
import type { NoticeWords } from '../../../src/activities/notices/notice-words.js';
import { wordsOf } from '../../../src/activities/notices/notice-words.js';
import { isObject } from '../../../src/plan/values/json.js';
import type { Json } from '../../../src/plan/values/json.js';

/** A gate of which everything is as long as it may be; the question is made of this character. */
function longest(character: string): NoticeWords {
  return wordsOf({
    event: 'waiting',
    run: 'r',
    definition: `${'d'.repeat(148)}\u{1f600}\u{1f600}`,
    submitted_by: 'ana',
    at: '2026-01-01T00:00:00.000Z',
    command: 'perdure approve r/ok',
    gate: 'r/ok',
    kind: 'approval',
    message: `${character.repeat(1_997)}\u{1f600}`,
    hash: `sha256:${'0'.repeat(64)}`,
    options: Array.from({ length: 40 }, (_, index) => `${String(index)}${'\u5b57'.repeat(160)}`),
    approvers: Array.from({ length: 40 }, (_, index) => `${String(index)}${'\u5b57'.repeat(60)}`),
    follows: {
      steps: 90,
      external: Array.from({ length: 90 }, (_, index) => `${String(index)}xxx${'\u5b57'.repeat(60)}`),
    },
    links: ['ana', 'bo', 'cy', 'dan', 'eve', 'fay', 'gus', 'hal'].map((to) => ({
      ...{ to, may: ['approve', 'reject'], expires: '', url: `https://runs.example.com/granted/${'x'.repeat(700)}` },
    })),
  });
}

/** All texts in a message. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

describe.each(['a', '\u200b', '\u5b57', '"'])('a gate whose question is %j, as long as it may be', (character) => {
  const words = longest(character);

  it('is told in Slack with its hash, what follows and how to answer, in blocks that Slack takes', () => {
    const message = slackMessage(words);
    const blocks = message['blocks'] as { type: string; text?: { text: string } }[];
    expect(blocks.length).toBeLessThanOrEqual(50);
    for (const { type, text } of blocks)
      if (type !== 'actions') {
        expect(text?.text.length).toBeLessThanOrEqual(type === 'header' ? 150 : 3_000);
        expect(text?.text).not.toBe('');
      }
    const texts = textsIn(message);
    expect(texts.join('\n')).toContain(`sha256 ${'0'.repeat(64)}`);
    expect(texts.join('\n')).toContain('Then 90 steps can begin; outside changes: 0xxx');
    expect(texts).toContain('perdure approve r/ok');
    expect(texts.filter((text) => /\p{Cs}/u.test(text))).toEqual([]);
  });

  it('is told in Teams with the same, in as many bytes as Teams takes', () => {
    const message = teamsMessage(words);
    expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(28 * 1024);
    const texts = textsIn(message);
    expect(texts.join('\n')).toContain(`sha256 ${'0'.repeat(64)}`);
    expect(texts).toContain('perdure approve r/ok');
    expect(texts.filter((text) => /\p{Cs}/u.test(text))).toEqual([]);
  });
});

it('a question of no words makes no block that Slack refuses', () => {
  const blocks = slackMessage({ title: 't', lines: ['', 'x'], buttons: [] })['blocks'] as { type: string }[];
  expect(blocks.map(({ type }) => type)).toEqual(['header', 'section']);
});
