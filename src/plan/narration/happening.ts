import type { StepKind } from '../names.js';

/** What can happen to a task of a run. */
export type HappeningKind = 'started' | 'output' | 'again' | 'committed' | 'waiting' | 'completed' | 'failed';

/** Something that happened to a task of a run, as narrator and teacher are told of it. */
export interface Happening {
  kind: HappeningKind;
  /** Path of the task: a step, or the outermost loop or list that it stands in. */
  task: string;
  /** The task's name, for people. */
  name: string;
  /** Who does it. */
  agent: string;
  /** Below the task: the path of the step itself, where that is another one. */
  path: string;
  /** When, in epoch milliseconds. */
  at: number;
  /** What was said, or why it failed; what models and commands wrote. */
  text: string;
  about: About;
}

/** What kind of work a happening is about. */
export interface About {
  step: StepKind;
  /** Of a tool's step: the tool's name. */
  tool?: string;
  /** It answers with a verdict. */
  verdict?: true;
  /** It is the first task of a build. */
  first?: true;
  /** The build is for a board. */
  hardware?: true;
  /** What the task is, as its planner wrote it. */
  description?: string;
}

/** What makes a happening the same as one that was told before, whoever saw it. */
export function keyOf({ kind, path, at }: Happening): string {
  return kind === 'output' ? `${path} output ${String(at)}` : `${path} ${kind}`;
}
