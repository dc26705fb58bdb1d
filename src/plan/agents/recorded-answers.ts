import type { FailureType } from '../failure.js';
import type { Json } from '../values/json.js';

/** What a model once answered in a step, for runs that are tested against it. */
export interface RecordedAnswer {
  /** The step's path below the root run, with item and iteration numbers. */
  step: string;
  /** Of a step with several tries, from 1; absent where the answer is for every try. */
  try?: number | undefined;
  /** Of a conversation, from 1; absent where one question was all. */
  turn?: number | undefined;
  text: string;
  /** Why there was no answer: the step fails so. */
  failed?: string | undefined;
  /** What kind of failure that was; absent where it is the usual one of agents. */
  failure?: FailureType | undefined;
  /** The calls of tools that it made. */
  calls?: { id: string; name: string; input: Json }[] | undefined;
}

/** How a try of a step that acts ended: a command, or what is done with a device. */
export interface RecordedEnd {
  /** As of an answer. */
  step: string;
  /** What later steps got; absent where it failed. */
  output?: Json | undefined;
  /** Why it failed. */
  failed?: string | undefined;
  /** What kind of failure that was; absent where it is the usual one of such steps. */
  failure?: FailureType | undefined;
}

/** What failures of steps that act once are called where an end does not say it. */
export const USUAL_FAILURE = {
  command: 'command-failed',
  tool: 'tool-failed',
  device: 'flash-failed',
  compile: 'compile-failed',
  agent: 'answer-refused',
} as const satisfies Record<string, FailureType>;

/** How a step is to end, as a person wrote it. */
export type StubEnd =
  { output: Json } | { failed: string; failure?: FailureType | undefined } | { real: true } | { rounds: StubEnd[] };

/** What stands in for a step. Its path may have `*` where items and rounds have their numbers. */
export type Stub = { step: string } & StubEnd;

/** What stands in for the world in a run that is a test. */
export interface Recorded {
  answers: RecordedAnswer[];
  /** With them no command runs; left out, all of them do. */
  commands?: RecordedEnd[] | undefined;
  /** With them no device has a stand-in. */
  devices?: RecordedEnd[] | undefined;
  /** With them nothing acts that none of them is for. */
  stubs?: Stub[] | undefined;
  /** Agents that no stub is for have a stand-in, as in any rehearsal. */
  stand_ins?: true | undefined;
}

/** The answer for a question of a step's try; what was one question once may be a conversation's first turn now. */
export function recordedAnswer(
  answers: RecordedAnswer[],
  { step, tried, turn }: { step: string; tried: number; turn: number | null },
): RecordedAnswer | null {
  const own = answers.filter((answer) => answer.step === step && (answer.try ?? tried) === tried);
  return (
    own.find((answer) => (answer.turn ?? null) === turn) ??
    (turn === null ? own.at(-1) : turn === 1 ? own.find((answer) => answer.turn === undefined) : undefined) ??
    null
  );
}

/** How a try of a step ended, from 1: its ends stand in the order of its tries, and after the last that one again. */
export function recordedTry(ends: RecordedEnd[], step: string, tried: number): RecordedEnd | null {
  const own = ends.filter((end) => end.step === step);
  return own[Math.min(tried, own.length) - 1] ?? null;
}

/** The turn that a question of the journal belongs to; null for a single one (I8). */
export function turnIn([kind, turn]: Json[]): number | null {
  return kind === 'turn' && typeof turn === 'number' ? turn : null;
}

/** The stub for a step: the one whose path has the fewest `*`, of these the first; null where none is for it. */
export function stubAt<S extends { step: string }>(stubs: readonly S[], path: string): S | null {
  const fitting = stubs.filter(({ step }) => fits(step, path));
  const starsOf = ({ step }: S): number => step.split('/').filter((segment) => segment === '*').length;
  return fitting.reduce<S | null>((best, stub) => (best === null || starsOf(stub) < starsOf(best) ? stub : best), null);
}

/** Tells whether a step's path is one that a pattern stands for. */
export function fits(pattern: string, path: string): boolean {
  const [wanted, segments] = [pattern.split('/'), path.split('/')];
  return (
    wanted.length === segments.length &&
    wanted.every((word, at) => word === segments[at] || (word === '*' && /^\d+$/.test(segments[at] ?? '')))
  );
}

/** How a stub ends a step: of `rounds`, the one of the innermost `*` of its path, and after the last that one again. */
export function endOfStub(stub: Stub, path: string): Exclude<StubEnd, { rounds: StubEnd[] }> {
  let end: StubEnd = stub;
  const round = Number(path.split('/')[stub.step.split('/').lastIndexOf('*')] ?? 0);
  while ('rounds' in end) end = end.rounds[Math.min(round, end.rounds.length - 1)] ?? { output: null };
  return end;
}
