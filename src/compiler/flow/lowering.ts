import type { Agent, Need, StepBase } from '../../plan/step.js';
import type { Shared } from '../workflow/compile-workflow.js';
import type { Hash } from '../../plan/values/value.js';
import type { Place } from '../problems/problem.js';
import type { Cast } from './cast.js';
import type { TestReader } from './condition.js';
import type { Handle, Late, Frame } from './frame.js';
import { grow, allOf } from './frame.js';
import type { Names } from './names.js';
import type { Prior } from './tests.js';
import type { Vocabulary } from './texts.js';

/** What is known where a region begins. */
export interface Path {
  frame: Frame;
  names: Names;
  /** Steps that must have ended. With `skip`, a failure of theirs skips what follows. */
  needs: Edge[];
  /** Conditions that must hold. */
  guards: Late[];
  prior: Prior | null;
  /** A failure here skips what follows here and nothing else: a branch, or a group that a condition looks at. */
  contained: boolean;
}

/** All that lowering a flow shares. */
export interface Lowering {
  vocabulary: Vocabulary;
  cast: Cast;
  stage: Stage;
  /** Reads a condition; it knows the variables of the flow. */
  testOf: TestReader;
  /** Variables that conditions look at, anywhere in the flow; true where they ask how their step went. */
  watched: Map<string, boolean>;
}

export interface Edge {
  handle: Handle;
  skip: boolean;
}

/** How a region is looked at by the conditions behind it. */
export interface Watch {
  /** A failure is theirs to deal with. */
  observed: boolean;
  /** They ask how it went: an agent is asked to say so. */
  outcome: boolean;
}

/** What is known where a region ends. */
export interface Passage {
  exits: Edge[];
  /** Null where nothing ran. */
  prior: Prior | null;
  /** Jumps out of it, and when they are taken. */
  jumps: { name: string; at: Place; taken: Late }[];
}

/** The handle of the next step of a frame. */
export function nextHandle(frame: Frame, name: string): Handle {
  return { frame, index: frame.builders.length, name };
}

/** The fields that all steps of a flow have alike. Its edges are counted, and written when it is built. */
export function baseOf(
  path: Path,
  watch: Watch,
  index: number,
  id: string | null,
): (frame: Frame) => Omit<StepBase, 'timeout_ms' | 'retry' | 'effect'> {
  const { needs, guards, contained } = path;
  grow(path.frame.size, needs.length);
  return (frame) => ({
    index,
    id,
    needs: edgesTo(needs),
    parallel_group: null,
    when: allOf(guards)?.(frame) ?? null,
    on_error: contained || watch.observed ? 'skip_dependents' : 'stop',
    deadline_ms: null,
    always: false,
  });
}

export function edgesTo(needs: Edge[]): Need[] {
  const edges = new Map<number, boolean>();
  for (const { handle, skip } of needs) edges.set(handle.index, skip || (edges.get(handle.index) ?? false));
  return [...edges].sort(([a], [b]) => a - b).map(([step, skip]) => ({ step, skip }));
}

/** Where agents of the flow's Plan are kept, and how they are compiled. */
export interface Stage {
  compile: Pick<Shared, 'compileAgent' | 'texts' | 'report'>;
  keep: (reached: Record<Hash, Agent>) => void;
}
