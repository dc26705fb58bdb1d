import type { AskTeller } from '../../activities/narration/ask-teller.js';
import type { Scene } from '../../activities/narration/narrator.js';
import { messageIn, narratorQuestion } from '../../activities/narration/narrator.js';
import type { Happening } from '../../plan/narration/happening.js';
import { keyOf } from '../../plan/narration/happening.js';
import type { NarrationLine } from '../../plan/narration/record.js';
import { templateMessage } from '../../plan/narration/templates.js';

/** Messages that a narrator is reminded of, and does not repeat. */
const REMEMBERED = 5;

/** Makes the message about a happening and says it; gives when it was said, null where it was not. */
export type Speak = (happening: Happening, signal: AbortSignal) => Promise<number | null>;

/** What messages are made with; `before` is what was told and asked already, also by others. */
export interface Speaking {
  scene: Scene;
  ask: AskTeller;
  say: (line: NarrationLine) => Promise<void>;
  before: NarrationLine[];
}

/** A model's message, and a template where there is none in time. Nothing is said twice, or once it is over. */
export function createSpeak({ scene, ask, say, before }: Speaking): Speak {
  const keys = new Set(before.map(({ key }) => key));
  const texts = before.flatMap((line) => (line.kind === 'message' ? [line.text] : []));
  const turns = new Map<string, number>();
  return async (happening, signal) => {
    const key = keyOf(happening);
    if (keys.has(key)) return null;
    keys.add(key);
    const last = texts.slice(-REMEMBERED);
    const told = messageIn(await ask(narratorQuestion(happening, scene, last), signal));
    const turn = turns.get(happening.kind) ?? 0;
    if (told === null) turns.set(happening.kind, turn + 1);
    const { mood, text } = told ?? templateMessage(happening, turn);
    if (signal.aborted || last.includes(text)) return null;
    texts.push(text);
    const now = Date.now();
    await say({
      kind: 'message',
      at: new Date(now).toISOString(),
      key,
      task: happening.task,
      mood,
      text,
      from: told === null ? 'template' : 'model',
    });
    return now;
  };
}
