import type { Happening } from './happening.js';
import type { Lesson } from './record.js';

/** A lesson that is ready, and what it is told at. */
interface Taught extends Lesson {
  at: (happening: Happening) => boolean;
}

/** What is taught without asking a model, each once. */
export const CURRICULUM: readonly Taught[] = [
  {
    concept: 'source-control',
    headline: 'Every step is saved',
    explanation: 'A commit is a saved point of the whole project, with a sentence that says what changed.',
    tell_me_more:
      'Because each step is a commit, one can look back at any of them, see who changed what and why, and undo one ' +
      'change without losing the others. Programmers all over the world use git for that.',
    at: ({ kind }) => kind === 'committed',
  },
  {
    concept: 'testing',
    headline: 'Tests check the work',
    explanation: 'A test is a small program that uses what was built and says whether it does what it should.',
    tell_me_more:
      'A red test is good news: it found a mistake before a person did. Tests stay, so that a later change that ' +
      'breaks something is noticed at once.',
    at: ({ about, kind }) => about.tool === 'run_tests' && hasEnded(kind),
  },
  {
    concept: 'decomposition',
    headline: 'Big things are made of small tasks',
    explanation: 'A big wish is cut into small tasks, each with a clear end. Some have to wait for others.',
    tell_me_more:
      'Small tasks are easier to understand, to check and to share between helpers. An arrow from one task to ' +
      'another means: this one needs what that one makes.',
    at: ({ about, kind }) => about.step === 'plan' && kind === 'started',
  },
  {
    concept: 'code-review',
    headline: 'Somebody else has a look',
    explanation: 'In a review somebody who did not write the code reads it, and says what is good and what to change.',
    tell_me_more:
      'Four eyes see more than two: whoever wrote something knows what they meant, and so overlooks what stands ' +
      'there. “Needs changes” is no bad mark, it is how the next round gets better.',
    at: ({ about, kind }) => about.verdict === true && hasEnded(kind),
  },
  {
    concept: 'architecture',
    headline: 'First comes the plan of the house',
    explanation: 'The first task lays out the parts of the project and where each of them lives.',
    tell_me_more:
      'As in a house, rooms with one purpose each are easier to live in. Code is put into files by what it is ' +
      'about, so that one can be changed without the others.',
    at: ({ about, kind }) => about.first === true && kind === 'completed',
  },
  {
    concept: 'gpio',
    headline: 'Pins talk to the world',
    explanation: 'GPIO pins are the little legs of a chip: a program switches them on and off, or reads them.',
    tell_me_more:
      'An LED on a pin lights up when the program sets it to high. A button on a pin is read: pressed or not. ' +
      'GPIO means “general purpose input and output”.',
    at: ({ about, kind, name }) =>
      about.hardware === true &&
      kind === 'started' &&
      /\b(gpio|leds?|pins?|buttons?|buzzers?|relays?|blink\w*)\b/i.test(`${name} ${about.description ?? ''}`),
  },
  {
    concept: 'lora',
    headline: 'Radio that goes far',
    explanation: 'LoRa sends small messages over kilometres with very little power.',
    tell_me_more:
      'It speaks slowly and clearly, so that even a faint signal is understood. That is why a sensor in a field can ' +
      'run for years on one battery.',
    at: ({ about, kind, name }) => kind === 'started' && /\blora(wan)?\b/i.test(`${name} ${about.description ?? ''}`),
  },
  {
    concept: 'compilation',
    headline: 'From words to machine language',
    explanation: 'A compiler translates code that people write into the numbers that a chip runs.',
    tell_me_more:
      'It reads all of the code first, and says in which line it does not understand something. Only what is ' +
      'understood as a whole becomes a program.',
    at: ({ about, kind }) => about.step === 'compile' && hasEnded(kind),
  },
  {
    concept: 'flashing',
    headline: 'The program moves into the chip',
    explanation: 'Flashing writes the program into the memory of the board, where it stays without power.',
    tell_me_more:
      'Flash memory is wiped block by block, written, and read back to be compared. Then the board starts again, ' +
      'with the new program.',
    at: ({ about, kind }) => about.step === 'flash' && hasEnded(kind),
  },
];

function hasEnded(kind: Happening['kind']): boolean {
  return kind === 'completed' || kind === 'failed';
}

/** The lessons of the curriculum that a happening gives occasion to. */
export function lessonsAt(happening: Happening): Lesson[] {
  return CURRICULUM.filter(({ at }) => at(happening)).map(({ at: _at, ...lesson }) => lesson);
}
