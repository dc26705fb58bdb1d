import type { Agent, AgentStep } from '../../../src/plan/step.js';
import { after, stepBase } from '../../plan/helpers/build-plan.js';

/** An agent without tools, and the key that steps name it by. */
export const PARROT: Agent = {
  name: 'parrot',
  description: null,
  prompt: { kind: 'literal', value: 'You say.' },
  model: null,
  program: null,
  tools: [],
  inputs: {},
  max_output_kb: 100,
  max_turns: 1,
};
export const PARROT_KEY = 'sha256:parrot';

/** A step that has the parrot say its number, after the step before it. */
export function say(index: number): AgentStep {
  return {
    ...stepBase(index, { needs: index === 0 ? [] : after(index - 1) }),
    kind: 'agent',
    agent: PARROT_KEY,
    prompt: { kind: 'literal', value: `Say ${index}.` },
    inputs: {},
    model: null,
    schema: null,
    rehearsal: null,
  };
}
