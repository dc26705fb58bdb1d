import type { Autonomy } from '../gates/autonomy.js';
import { checkedAs, personNeeded } from '../gates/autonomy.js';
import type { StepKind } from '../names.js';
import type { Step } from '../step.js';

/** Which steps act, so that a person may have to allow it; a nested workflow where it says so: else its steps do. */
const ACTS: Record<StepKind, boolean | 'said'> = {
  agent: true,
  command: true,
  compile: true,
  flash: true,
  serial: true,
  workflow: 'said',
  // By what its call does, which is known later: `judgeToolStep`.
  tool: false,
  plan: false,
  approval: false,
  ask: false,
  set: false,
  wait: false,
  foreach: false,
  loop: false,
};

/** Says why a step waits for a person before it acts; null where it goes on. A tool step is judged by its call. */
export function stepWaits({ kind, checkpoint }: Step, policies: Autonomy[]): string | null {
  const acts = ACTS[kind];
  if (acts === false || (acts === 'said' && checkpoint === undefined)) return null;
  return personNeeded(policies, checkedAs([kind], checkpoint));
}
