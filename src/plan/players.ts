import type { Plan } from './plan.js';
import type { ProgramName, ProgramSettings } from './agents/program.js';
import { programAddress, programOf } from './agents/program.js';
import type { Agent, AgentStep, Block } from './step.js';
import { isBlockStep } from './step.js';

/** An agent step with its agent, and how it is found in its tree of Plans (`programAddress`). */
export interface AgentPlace {
  step: AgentStep;
  agent: Agent | undefined;
  address: string;
}

/** Every agent step of a tree of Plans, also in what it repeats. */
export function* agentSteps(plan: Plan): Generator<AgentPlace> {
  for (const [nested, body] of [[null, plan] as const, ...Object.entries(plan.nested)])
    yield* stepsBelow(plan, nested, body, []);
}

function* stepsBelow(
  plan: Plan,
  nested: string | null,
  block: Pick<Block, 'steps'>,
  way: number[],
): Generator<AgentPlace> {
  for (const step of block.steps) {
    const here = [...way, step.index];
    if (step.kind === 'agent') yield { step, agent: plan.agents[step.agent], address: programAddress(nested, here) };
    if (isBlockStep(step)) yield* stepsBelow(plan, nested, step.body, here);
  }
}

/** Who plays the agent steps of a run: programs, and null for a model provider. */
export function playersOf(plan: Plan, programs: ProgramSettings | undefined): ReadonlySet<ProgramName | null> {
  return new Set(
    [...agentSteps(plan)].map(({ step, agent, address }) => programOf(programs, step, agent, address)?.program ?? null),
  );
}

/** The program that plays all agent steps of a run; null where there is none, or where others play too. */
export function onlyProgram(plan: Plan, programs: ProgramSettings | undefined): ProgramName | null {
  const players = [...playersOf(plan, programs)];
  return players.length === 1 ? (players[0] ?? null) : null;
}

/** Tells whether a program plays a step, so that no model provider need be there for it. */
export function isPlayed(plan: Plan, programs: ProgramSettings | undefined): (step: AgentStep) => boolean {
  const played = new Set(
    [...agentSteps(plan)]
      .filter(({ step, agent, address }) => programOf(programs, step, agent, address) !== null)
      .map(({ step }) => step),
  );
  return (step) => played.has(step);
}
