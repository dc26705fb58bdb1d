import { turnSegment } from '../../plan/agents/conversation.js';
import { previewOf } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import type { LogWriter } from '../../store/logs/line.js';
import type { ToolCall as CallBlock } from '../models/protocol/message.js';
import type { ServedCall } from '../models/protocol/provider.js';
import { linesOf } from '../attempt/resumed-log.js';
import type { ToolRun } from '../tools/handler/handler.js';

/** Where a call stands in its conversation. */
export interface CallPlace {
  turn: number;
  call: number;
}

/** How a turn begins in the log. */
export function turnNote(turn: number): string {
  return `turn ${turn}`;
}

/**
 * Says that a tool is called, by a model or by a step of its own. The note of a model's call names it, so that no two
 * are the same.
 */
export function tellCall(
  log: LogWriter,
  place: CallPlace | null,
  { name, input }: Pick<CallBlock, 'name' | 'input'>,
): void {
  log.write('note', `→ ${nameOf(place)}${name} ${oneLine(JSON.stringify(input))}`);
}

/** Says what the provider's own tools did in an answer. */
export function tellServed(log: LogWriter, served: ServedCall[]): void {
  for (const { tool, input, came } of served) {
    const notes = [
      `→ ${tool} ${oneLine(JSON.stringify(input))}`,
      ...(came === null ? [] : [`← ${tool}${'error' in came ? ` failed: ${came.error}` : `: ${oneLine(came.said)}`}`]),
    ];
    for (const note of notes) log.write('note', note);
  }
}

/** Says what a call gave. */
export function tellResult(
  log: LogWriter,
  place: CallPlace | null,
  name: string,
  { content, is_error }: ToolRun,
): void {
  log.write('note', `← ${nameOf(place)}${name}${is_error ? ' failed' : ''}: ${oneLine(previewOf(content))}`);
}

/** Tells whether the log says what a call gave: a worker may have been lost just before it would have said so. */
export async function isResultTold(
  store: Store,
  { run, path }: { run: string; path: string },
  place: CallPlace,
): Promise<boolean> {
  let isTold = false;
  for await (const { stream, text } of linesOf(store, run, path)) {
    // A step that is sent back to be done again begins its turns anew.
    if (stream === 'note' && text === turnNote(place.turn)) isTold = false;
    else if (stream === 'note' && text.startsWith(`← ${nameOf(place)}`)) isTold = true;
  }
  return isTold;
}

function nameOf(place: CallPlace | null): string {
  return place === null ? '' : `${turnSegment(place.turn, place.call)} `;
}

function oneLine(text: string): string {
  return previewOf(text.replaceAll(/\s+/g, ' '));
}
