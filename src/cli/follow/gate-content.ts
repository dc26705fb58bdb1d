import { tasksIn } from '../../plan/builds/task.js';
import { toText } from '../../plan/values/json.js';
import { gateHashOf } from '../../activities/values/content-hash.js';
import { loadValue } from '../../store/transcript.js';
import type { Store } from '../../store/store.js';
import { refusal } from '../exit-codes.js';
import type { OpenGate } from '../observe/view/view.js';

/** The exact content that a gate shows. */
export interface GateContent {
  text: string;
  /**
   * The same as people read it: tasks that an agent planned one by one; texts of several lines inside of JSON, a
   * workflow that an agent made say, as lines.
   */
  shown: string;
  /** It is a text itself; else `text` is its JSON. */
  isText: boolean;
}

/**
 * What a gate shows, as people read it, where nobody decides: why it cannot be shown stands in its place. Null when the
 * question is all there is.
 */
export async function shownIn(open: OpenGate, store: Store): Promise<string | null> {
  return readGateContent(open, store).then(
    (content) => content?.shown ?? null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/**
 * The exact content that a gate shows; null when the question is all there is. What a person approves is
 * what its hash names: content that does not fit the hash is refused, never shown (decision 4).
 */
export async function readGateContent(
  { gate: { path, message, content, options, hash }, planned }: OpenGate,
  store: Store,
): Promise<GateContent | null> {
  const json = await loadValue(content, store);
  if (gateHashOf({ message, content: json, ...(options === undefined ? {} : { options }) }) !== hash) {
    throw refusal(
      `What the gate \`${path}\` shows does not fit its hash \`${hash}\`: it is not shown, and cannot be ` +
        `approved here.`,
    );
  }
  if (content === null) return null;
  if (planned !== undefined && tasksIn(json) !== null) {
    const { shownTasks } = await import('./tasks-text.js');
    return { text: toText(json), shown: await shownTasks(json, planned, store), isText: false };
  }
  // In a file of its own, with YAML: only a gate that is shown needs it.
  const { readable } = await import('./readable.js');
  return { text: toText(json), shown: readable(json), isText: typeof json === 'string' };
}
