import { Context } from '@temporalio/activity';
import { previewOf } from '../../plan/value.js';
import type { LogLine, LogWriter, Store } from '../../store/store.js';
import type { ToolCall } from '../models/message.js';
import type { ServedCall } from '../models/provider.js';
import type { ToolRun } from '../tools/handler.js';
import type { Turning } from './ask-turn.js';

/**
 * Says in the log that a turn begins. Where a worker was lost while the model spoke, the log has said so already: then
 * this gives what it has of the answer, and the notes behind it, so that nothing is written twice.
 */
export async function tellTurn({ deps: { store }, call, log, progress }: Turning): Promise<Told> {
  const said = `turn ${call.turn}`;
  progress['turn'] = call.turn;
  const written = Context.current().info.attempt > 1 ? await writtenAfter(store, { run: call.root.run, path: call.path, note: said }) : null;
  if (written === null) log.write('note', said);
  return written ?? { text: '', notes: [] };
}

/** What a log has said of a turn. */
export interface Told {
  text: string;
  notes: string[];
}

/** What a log has of a model's words, and of other notes, since the last line with this note; null where there is none. */
async function writtenAfter(store: Store, { run, path, note }: { run: string; path: string; note: string }): Promise<Told | null> {
  let told: Told | null = null;
  for (let offset = 0; ; ) {
    const { lines, next } = await store.readLog(run, path, offset);
    if (next === offset) return told;
    for (const line of lines) told = isNote(line, note) ? { text: '', notes: [] } : told && withLine(told, line);
    offset = next;
  }
}

function withLine({ text, notes }: Told, line: LogLine): Told {
  if (line.stream === 'text') return { text: text + line.text, notes };
  return { text, notes: line.stream === 'note' ? [...notes, line.text] : notes };
}

function isNote({ stream, text }: LogLine, note: string): boolean {
  return stream === 'note' && text === note;
}

/** Says which tools the model calls, unless the log has `said` so already. */
export function tellCalls(log: LogWriter, calls: ToolCall[], said: string[] = []): void {
  const known = [...said];
  for (const { name, input } of calls) {
    const note = `→ ${name} ${oneLine(JSON.stringify(input))}`;
    if (known.includes(note)) known.splice(known.indexOf(note), 1);
    else log.write('note', note);
  }
}

/** Says what the provider's own tools did in an answer, unless the log has `said` so already. */
export function tellServed(log: LogWriter, served: ServedCall[], said: string[] = []): void {
  for (const { tool, input, came } of served) {
    const notes = [`→ ${tool} ${oneLine(JSON.stringify(input))}`, ...(came === null ? [] : [`← ${tool}${'error' in came ? ` failed: ${came.error}` : `: ${oneLine(came.said)}`}`])];
    for (const note of notes) if (!said.includes(note)) log.write('note', note);
  }
}

/** Says what a call gave. */
export function tellResult(log: LogWriter, name: string, { content, is_error }: ToolRun): void {
  log.write('note', `← ${name}${is_error ? ' failed' : ''}: ${oneLine(previewOf(content))}`);
}

function oneLine(text: string): string {
  return previewOf(text.replaceAll(/\s+/g, ' '));
}
