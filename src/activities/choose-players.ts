import type { Plan } from '../plan/plan.js';
import { everyStepOf } from '../plan/plan.js';
import type { ModelChoice } from '../plan/run-input.js';
import type { Agent, AgentStep } from '../plan/step.js';
import { modelKeyOf } from '../plan/step.js';
import type { ProgramName, ProgramSettings } from '../plan/program.js';
import type { ChooseModels } from './models/choose.js';
import { chooseModels } from './models/choose.js';
import { reachOf } from './models/reach.js';
import type { ChoosePrograms } from './programs/choose.js';
import { choosePrograms, installedPrograms, isPlayed } from './programs/choose.js';
import { PROGRAM } from './programs/programs.js';

export interface ChoosePlayers extends ChooseModels, Pick<ChoosePrograms, 'texts' | 'input'> {
  /** `agents.default` of the config. */
  usual: ProgramName | null;
}

/** Who plays the agents of a run, or why nobody can: what to set or to install. */
export type ChosenPlayers = { models: Record<string, ModelChoice>; programs?: ProgramSettings } | { failure: string };

/**
 * Settles, when a run starts, who plays each agent: the program that it names, `agents.default`, a model provider, or where
 * none is configured an installed program. A rehearsal has its stand-in for all.
 */
export async function choosePlayers(options: ChoosePlayers): Promise<ChosenPlayers> {
  if (options.rehearse) return chooseModels(options);
  const chosen = await chooseWith(options, options.usual);
  if ('models' in chosen || options.usual !== null || !(await isWithoutProvider(options))) return chosen;
  if (installedPrograms(options.env).size === 0) return { failure: `${chosen.failure} An installed \`claude\`, \`codex\` or \`gemini\` would do as well (${PROGRAM.claude.install}).` };
  const played = await chooseWith(options, 'installed');
  return 'models' in played ? played : chosen;
}

async function chooseWith(options: ChoosePlayers, usual: ChoosePrograms['usual']): Promise<ChosenPlayers> {
  const chosen = choosePrograms({ ...options, usual });
  if ('failure' in chosen) return chosen;
  const { programs } = chosen;
  const models = await chooseModels({ ...options, except: isPlayed(options.plan, programs) });
  if ('failure' in models) return models;
  const lacking = withoutSearch(options.plan, models.models, isPlayed(options.plan, programs));
  if (lacking !== null) return { failure: lacking };
  return programs === undefined ? models : { ...models, programs };
}

/** Why an agent cannot search the web, which without a `search` of the config only Anthropic's models do; null when all can that shall. */
function withoutSearch(plan: Plan, models: Record<string, ModelChoice>, isOther: (step: AgentStep) => boolean): string | null {
  for (const { agent, model } of askedAgents(plan, isOther)) {
    if (!(agent.uses ?? []).some((tool) => tool.kind === 'builtin' && tool.name === 'web_search' && tool.search === undefined)) continue;
    const choice = models[model];
    if (choice !== undefined && choice.provider !== 'anthropic') return `\`web_search\` of the agent \`${agent.name}\` is unavailable: it is Anthropic's, and the agent's model is \`${choice.provider}:${choice.model}\`. Give it a Claude model, name a search under \`search\` of perdure.yml, or take the tool away.`;
  }
  return null;
}

/** The agents that are asked through a provider, each with the name of its model: those of steps, and those that they reach as tools. */
function askedAgents(plan: Plan, isOther: (step: AgentStep) => boolean): { agent: Agent; model: string }[] {
  const asked: { agent: Agent; model: string }[] = [];
  const called = new Set<Agent>();
  for (const step of everyStepOf(plan)) {
    const agent = step.kind === 'agent' && !isOther(step) ? plan.agents[step.agent] : undefined;
    if (step.kind !== 'agent' || agent === undefined) continue;
    asked.push({ agent, model: modelKeyOf(step, agent) });
    for (const other of calledBy(plan, agent)) called.add(other);
  }
  // What is added while it is walked is walked too.
  for (const agent of called) for (const other of calledBy(plan, agent)) called.add(other);
  return [...asked, ...[...called].map((agent) => ({ agent, model: modelKeyOf({ model: null }, agent) }))];
}

function calledBy({ agents }: Plan, { uses = [] }: Agent): Agent[] {
  return uses.flatMap((tool) => (tool.kind === 'agent' ? (agents[tool.agent] ?? []) : []));
}

/** Whether no model provider can be reached at all; one that lacks a model is no reason to ask somebody else. */
async function isWithoutProvider({ env, providers = {}, signal }: ChoosePlayers): Promise<boolean> {
  const reach = reachOf({ env, providers, baseUrl: null, signal });
  return !reach.hasKey && !reach.hasOpenai && (await reach.ollama()) === null;
}
