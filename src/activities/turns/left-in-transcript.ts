import { longHash } from '../../plan/packing/short-hash.js';
import type { Store } from '../../store/store.js';
import type { Left } from '../agents/attempt-before.js';
import type { ModelMessage } from '../models/protocol/message.js';
import { blocksOf, textOf } from '../models/protocol/message.js';
import { readConversation } from './transcript.js';

/** What a conversation leaves that came to nothing, by the short hash of its last message. */
export async function leftInTranscript(store: Store, head: string | undefined): Promise<Left> {
  if (head === undefined) return { said: '', output: '', files: null };
  const { messages, files = null } = await readConversation(store, longHash(head));
  const said = messages.findLast((one) => one.role === 'assistant' && textOf(one).trim() !== '');
  return { said: said === undefined ? '' : textOf(said), output: lastResult(messages), files };
}

function lastResult(messages: ModelMessage[]): string {
  const last = messages.flatMap(blocksOf).findLast((block) => block.kind === 'result');
  return last?.kind === 'result' ? last.text : '';
}
