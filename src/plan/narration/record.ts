import type { Spend } from '../budget/spend.js';
import type { Mood } from './mood.js';

/** The two that watch a run and tell of it. */
export type Teller = 'narrator' | 'teacher';

/** What a call may use, or may use at most. */
export interface Use {
  usd: number;
  tokens: number;
}

/** One thing that narrator or teacher said or asked, as it is kept beside the run. */
export type NarrationLine = { at: string; key: string } & (
  | {
      kind: 'message';
      task: string;
      mood: Mood;
      text: string;
      from: 'model' | 'template';
    }
  | ({ kind: 'lesson'; task: string; from: 'model' | 'curriculum' } & Lesson)
  /**
   * Written before a model is asked, so that nobody asks again and what it may use counts. `prompts` is the version of
   * the words that it is asked with; runs from before there was one have none.
   */
  | { kind: 'asked'; by: Teller; most: Use; prompts?: number | undefined }
  /** `usd` is null where nobody knows the price. */
  | { kind: 'answered'; by: Teller; spend: { usd: number | null; tokens: number } }
);

/** Something to learn from what happens. */
export interface Lesson {
  concept: string;
  headline: string;
  explanation: string;
  tell_me_more: string;
}

/** What was said of a run, as its result tells it. What it cost is in no other sum. */
export interface Narration {
  messages: { at: string; task: string; mood: Mood; text: string; from: 'model' | 'template' }[];
  lessons: (Lesson & { at: string; task: string; from: 'model' | 'curriculum' })[];
  /** `steps` are calls of models. */
  spend: Record<Teller, Spend>;
}
