import type { Template } from '../../plan/values/expression.js';
import type { Block, Step } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { ReadStep } from '../formats/read-step.js';
import type { Node } from '../text/node.js';
import type { Names } from '../expressions/scope.js';
import type { StepContext, WantedInput } from '../steps/base.js';

/** Steps of one scope as they were read. */
export interface BlockSource {
  steps: ReadStep[];
  /** The steps as they are written, with their faults. */
  nodes: Node[];
  names: Names;
  /** What the block yields, if it says so. */
  output: Node | null;
  /** The list, for problems of all of it. */
  at: Node;
}

/** Steps of one scope with their edges. A step that is null has problems. */
export interface CompiledBlock {
  steps: (Step | null)[];
  groups: Block['groups'];
  output: Template | null;
  /** Whether the steps can be ordered. */
  ordered: boolean;
}

/** The block in normal form; null when there is any problem in it. */
export function soundBlock({ steps, groups, output, ordered }: CompiledBlock): Block | null {
  const sound = steps.filter((step) => step !== null);
  return ordered && sound.length === steps.length ? { steps: sound, groups, output } : null;
}

/** What the steps of one workflow are compiled with, in whatever scope they stand. */
export interface BlockContext extends Omit<StepContext, 'index' | 'mode' | 'node' | 'faulty' | 'templates' | 'hoist'> {
  /** Takes a required input of a nested workflow from the caller's input of the same name; null when that cannot be. */
  hoist: (wanted: WantedInput, from: { names: Names; at: Node }) => Template | null;
  /** The body of a nested workflow that a step of it runs. */
  nestedBody: (plan: Hash) => Pick<Block, 'steps'> | undefined;
  /** What the steps of the workflow came to before, while its file is being written. */
  memo?: StepMemo | undefined;
}

/** What the steps of a workflow came to, while its file is being written: those that nothing has changed are taken. */
export interface StepMemo {
  /** Whether it is of this file. */
  isOf: (file: string) => boolean;
  /** For the steps of one scope: each as it came out before, or compiled now. */
  of: (names: Names, context: BlockContext) => TakeStep;
}

export type TakeStep = (read: ReadStep, index: number, compile: (context: BlockContext) => Step | null) => Step | null;
