import type { AskedTry } from '../../cli/observe/said.js';
import { askedTries, readSaid } from '../../cli/observe/said.js';
import type { RunView } from '../../cli/observe/view/view.js';
import { StoreFailure } from '../../store/store-failure.js';
import type { Session } from '../../cli/session.js';
import { stepPath } from '../paths.js';
import type { Utterance } from './utterances.js';
import { partOf, utterancesOf } from './utterances.js';

/** What was said in one try of a step, as far as this page has it. */
export interface Conversation {
  /** Other tries, and agents that were called in it; none where this is all. */
  others: { name: string; href: string; isShown: boolean }[];
  shown: Utterance[];
  /** Where what was said before and after this part is. */
  first: string | null;
  next: string | null;
  /** Why it cannot be shown. */
  missing: string | null;
}

/** Which part of which conversation somebody asks for. */
export interface WantedPart {
  /** The number of a try, as the page's links have it; null for the step's own last one. */
  conversation: number | null;
  /** The piece that it begins with. */
  said: number;
}

/** A part of what was said in a step; null where no model has answered, or nothing of it was kept. */
export async function readConversationPart(
  view: RunView,
  path: string,
  { conversation, said }: WantedPart,
  { store, elsewhere }: Pick<Session, 'store' | 'elsewhere'>,
): Promise<Conversation | null> {
  // Journals are not read from afar.
  const tries = elsewhere !== null ? [] : await askedTries(view, path, store);
  const number = conversation ?? tries.findLastIndex((one) => one.path === path);
  const wanted = tries[number] ?? tries.at(-1);
  if (wanted === undefined) return null;
  const to = (one: number, from: number): string =>
    `${stepPath(view.run, path)}?conversation=${one}${from === 0 ? '' : `&said=${from}`}#conversation`;
  const others = tries.map((one, index) => ({
    name: nameOf(one, path),
    href: to(index, 0),
    isShown: one === wanted,
  }));
  try {
    const { shown, next } = partOf(utterancesOf(await readSaid(wanted, store)), said);
    return {
      others,
      shown,
      first: said === 0 ? null : to(number, 0),
      next: next === null ? null : to(number, next),
      missing: null,
    };
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    return { others, shown: [], first: null, next: null, missing: error.message };
  }
}

/** `try 2`, and of an agent that was called where: `2.1, try 2`. */
function nameOf({ path, tried }: AskedTry, step: string): string {
  const below = path.slice(step.length + 1);
  return below === '' ? `try ${tried}` : `${below}, try ${tried}`;
}
