import type { Json } from '../values/json.js';

/** What a model once answered in a step, for runs that are tested against it. */
export interface RecordedAnswer {
  /** The step's path below the root run, with item and iteration numbers. */
  step: string;
  /** Of a conversation, from 1; absent where one question was all. */
  turn?: number | undefined;
  text: string;
  /** The calls of tools that it made. */
  calls?: { id: string; name: string; input: Json }[] | undefined;
}

/** How a command once ended. */
export interface RecordedCommand {
  /** As of an answer. */
  step: string;
  /** What later steps got; absent where it failed. */
  output?: Json | undefined;
  /** Why it failed. */
  failed?: string | undefined;
}

/** What stands in for the world in a run that is a test. */
export interface Recorded {
  answers: RecordedAnswer[];
  /** With them no command runs; left out, all of them do. */
  commands?: RecordedCommand[] | undefined;
}

/** The answer for a question of a step; what was one question once may be a conversation's first turn now. */
export function recordedAnswer(answers: RecordedAnswer[], step: string, turn: number | null): RecordedAnswer | null {
  const own = answers.filter((answer) => answer.step === step);
  return (
    own.find((answer) => (answer.turn ?? null) === turn) ??
    (turn === null ? own.at(-1) : turn === 1 ? own.find((answer) => answer.turn === undefined) : undefined) ??
    null
  );
}

/** The turn that a question of the journal belongs to; null for a single one (I8). */
export function turnIn([kind, turn]: Json[]): number | null {
  return kind === 'turn' && typeof turn === 'number' ? turn : null;
}
