import type { Remark } from '../../plan/agents/conversation.js';
import { previewOf } from '../../plan/values/value.js';
import type { LogWriter } from '../../store/logs/line.js';
import type { Block } from '../models/protocol/message.js';

/** What people have said to an agent, as its model is told; null for nothing. */
export function remarkText(said: Remark[] = []): string | null {
  if (said.length === 0) return null;
  return said.map(({ by, text }) => `While you work, ${oneLine(by)} says to you:\n\n${text}`).join('\n\n');
}

/** The same as what stands at the end of a message. */
export function remarkBlocks(said: Remark[] | undefined): Block[] {
  const text = remarkText(said);
  return text === null ? [] : [{ kind: 'text', text }];
}

/** Says in the log what the turn tells the model of it. */
export function logRemarks(log: LogWriter, said: Remark[] = []): void {
  for (const { by, text } of said) log.write('note', `${oneLine(by)} says: ${previewOf(oneLine(text))}`);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
