import type { Happening, HappeningKind } from './happening.js';
import type { Mood } from './mood.js';

/** Characters of a name in a message. */
const NAME_CHARACTERS = 60;

interface Templates {
  mood: Mood;
  /** One after the other; `{agent}` and `{name}` stand for those of the task. */
  texts: readonly [string, string, string];
}

/** What is said where no model says it. */
const TEMPLATES: Record<Exclude<HappeningKind, 'committed'>, Templates> = {
  started: {
    mood: 'excited',
    texts: [
      '{agent} starts with “{name}”. Here we go!',
      'Next comes “{name}”, and {agent} is on it!',
      '{agent} has rolled up the sleeves for “{name}”.',
    ],
  },
  output: {
    mood: 'encouraging',
    texts: [
      '{agent} is busy with “{name}”.',
      '“{name}” moves on: {agent} keeps going.',
      '{agent} thinks about “{name}”. Good work takes time.',
    ],
  },
  again: {
    mood: 'encouraging',
    texts: [
      '“{name}” gets another round. That is how good things are made.',
      '{agent} mends something in “{name}”.',
      'Not quite there yet, so {agent} tries “{name}” again.',
    ],
  },
  waiting: {
    mood: 'encouraging',
    texts: [
      '“{name}” waits for a person to decide.',
      'Your turn: “{name}” waits for an answer.',
      '“{name}” needs a person now.',
    ],
  },
  completed: {
    mood: 'celebrating',
    texts: [
      '{agent} has finished “{name}”. Hooray!',
      '“{name}” is done. Well done, {agent}!',
      'One more thing is ready: “{name}”.',
    ],
  },
  failed: {
    mood: 'concerned',
    texts: [
      'Something went wrong in “{name}”.',
      '“{name}” did not work out. {agent} ran into a problem.',
      'Hm, “{name}” has a problem.',
    ],
  },
};

/** A message without a model; `turn` counts those before, so that they take turns. */
export function templateMessage(
  { kind, agent, name }: Pick<Happening, 'kind' | 'agent' | 'name'>,
  turn: number,
): { mood: Mood; text: string } {
  const { mood, texts } = TEMPLATES[kind === 'committed' ? 'completed' : kind];
  const words: Record<string, string> = { agent: short(agent), name: short(name) };
  const text = texts[turn % texts.length] ?? texts[0];
  return { mood, text: text.replace(/\{(agent|name)\}/g, (_, word: string) => words[word] ?? '') };
}

/** A name is what somebody wrote: one line of it, and not all of a long one. */
function short(text: string): string {
  const line = [...text.replace(/\s+/g, ' ').trim()];
  return line.length <= NAME_CHARACTERS ? line.join('') : `${line.slice(0, NAME_CHARACTERS - 1).join('')}…`;
}
