import type { Template } from '../../plan/values/expression.js';
import type { Block, Step } from '../../plan/step.js';
import type { ReadStep } from '../formats/read-step.js';
import type { Node } from '../text/node.js';
import type { Names } from '../expressions/scope.js';

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
