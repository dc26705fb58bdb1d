import { expect, it } from 'vitest';
import { gatherBlocks } from '../../../src/activities/models/anthropic-stream.js';

it('pieces of an answer that hold no text add none', () => {
  const { add, blocks } = gatherBlocks();
  const start = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
  const piece = (text: unknown) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  // as servers send it that are not Anthropic's
  for (const event of [start, piece('One'), piece(null), piece(undefined), piece(' two')]) add(event as never);
  expect(blocks()).toEqual([{ type: 'text', text: 'One two' }]);
});
