import type { Block, ModelMessage } from './message.js';
import { callsIn } from './message.js';

/** What providers take back as an id, or as the name of a tool. */
const WORD = /^[a-zA-Z0-9_-]{1,64}$/;
/** Stands for a message of which nothing is left: an empty one cannot be sent. */
const NOTHING: Block = { kind: 'text', text: '(empty answer)' };

/**
 * A conversation as a provider takes it back. It refuses what models, and servers in between, say nevertheless: calls
 * without an id or with one that another call has, names that no tool can have, texts of blanks. Ids stand for their
 * calls alone, and what was called by a name that cannot be sent has been told already, so both may be others.
 */
export function sendable(messages: ModelMessage[]): ModelMessage[] {
  const taken = new Set<string>();
  let ids: string[] = [];
  return messages.map((message, at) => {
    if ('text' in message) return message;
    const isAnswer = callsIn(message.blocks).length > 0;
    const own = isAnswer ? fitIds(message.blocks, at, taken) : ids;
    ids = isAnswer ? own : [];
    const blocks = withIds(message.blocks, own).filter((block) => block.kind !== 'text' || block.text.trim() !== '');
    return { role: message.role, blocks: blocks.length === 0 ? [NOTHING] : blocks };
  });
}

/** An id for each call of a message, its own where that can be sent. */
function fitIds(blocks: Block[], at: number, taken: Set<string>): string[] {
  return callsIn(blocks).map(({ id }, index) => {
    const fit = isWord(id) && !taken.has(id) ? id : `call_${at}_${index}`;
    taken.add(fit);
    return fit;
  });
}

/** Results are in the order of their calls. */
function withIds(blocks: Block[], ids: string[]): Block[] {
  let next = 0;
  return blocks.map((block) => {
    if (block.kind !== 'call' && block.kind !== 'result') return block;
    const id = ids[next] ?? block.id;
    next += 1;
    return { ...block, id, name: isWord(block.name) ? block.name : wordOf(block.name) };
  });
}

function wordOf(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

function isWord(text: string): boolean {
  return WORD.test(text);
}
