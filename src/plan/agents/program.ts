import type { Price } from '../budget/price.js';
import type { Agent, AgentStep } from '../step.js';
import { ownOf } from '../values/own.js';

/** Programs that can play an agent: each holds a conversation with tools of its own. */
export const PROGRAMS = ['claude', 'codex', 'gemini'] as const;
export type ProgramName = (typeof PROGRAMS)[number];

/** A program as it will be called: chosen when a run starts, recorded, no part of the Plan's hash. */
export interface ProgramChoice {
  program: ProgramName;
  /** The model that it is told to use; null leaves the choice to the program. */
  model: string | null;
  /** What its model costs, as settled at submit: what is reserved, and what is paid where the program names no sum. */
  price: Price;
  /** Nobody knows the price, or the model: what a call cost is not known either unless the program says so (I8). */
  assumed?: true;
  /** Tokens that are reserved for a call's answers. */
  max_tokens: number;
}

/** Which programs play which agents of a run. Absent in rehearsals, and where no program plays. */
export interface ProgramSettings {
  /** By program and model as definitions write them: `claude`, `codex gpt-5.5`. */
  choices: Record<string, ProgramChoice>;
  /** Who plays agents that name neither a program nor a provider; absent: a model provider does. */
  usual?: ProgramName;
  /** Steps whose task another program is better for, by `programAddress`. */
  steps?: Record<string, ProgramName>;
}

/** A name that says whose model it is goes there, whoever else could play. */
const NAMES_PROVIDER = /^(anthropic|ollama|openai|rehearsal):/;

export function isProgram(name: string): name is ProgramName {
  return (PROGRAMS as readonly string[]).includes(name);
}

/** The key of a choice. */
export function programKey(program: ProgramName, model: string): string {
  return model === '' ? program : `${program} ${model}`;
}

/** Names a step in a whole tree of Plans: the nested Plan, and the index of the step or the indexes that lead to it. */
export function programAddress(nested: string | null, step: number | number[]): string {
  return `${nested ?? ''}/${Array.isArray(step) ? step.join('.') : String(step)}`;
}

/** The model that an agent step names, as definitions write it; empty for none. */
export function writtenModel({ model }: Pick<AgentStep, 'model'>, agent: Pick<Agent, 'model'> | undefined): string {
  return model ?? agent?.model ?? '';
}

/** Tells whether a program may be chosen for an agent that names none. */
export function isOpenToPrograms(step: Pick<AgentStep, 'model'>, agent: Agent | undefined): boolean {
  return agent?.base_url === undefined && !NAMES_PROVIDER.test(writtenModel(step, agent));
}

/** The program that plays an agent step of a run, or null where a model provider does. */
export function programOf(
  settings: ProgramSettings | undefined,
  step: AgentStep,
  agent: Agent | undefined,
  address: string,
): ProgramChoice | null {
  if (settings === undefined) return null;
  const name =
    namedProgram(agent) ??
    (isOpenToPrograms(step, agent) ? (ownOf(settings.steps, address) ?? settings.usual) : undefined);
  if (name === undefined) return null;
  const fault = agent === undefined ? null : unlimitable(name, agent);
  if (fault !== null) throw new Error(fault);
  const choice = settings.choices[programKey(name, writtenModel(step, agent))] ?? settings.choices[name];
  if (choice === undefined) throw new Error(`The run's settings choose no model for the program \`${name}\``);
  return choice;
}

/**
 * Why a program does not play an agent: it has tools of its own, and nothing would hold those to what the agent's are
 * held to. Null where nothing is.
 */
export function unlimitable(program: ProgramName, { name, permissions, uses = [], hooks }: Agent): string | null {
  const limit =
    permissions?.writable !== undefined
      ? 'the paths under `writable` of its permissions'
      : uses.some((tool) => tool.kind === 'builtin' && tool.root !== undefined)
        ? 'the folder of its toolset'
        : permissions?.denial !== undefined
          ? 'what its permissions ask a person about'
          : hooks !== undefined
            ? 'its hooks'
            : null;
  if (limit === null) return null;
  return (
    `\`${program}\` cannot play the agent \`${name}\`: it has tools of its own, which nothing holds to ${limit}. ` +
    'Give the agent a model of a provider (`model: anthropic:sonnet`).'
  );
}

function namedProgram(agent: Agent | undefined): ProgramName | undefined {
  const name = agent?.program ?? '';
  return isProgram(name) ? name : undefined;
}
