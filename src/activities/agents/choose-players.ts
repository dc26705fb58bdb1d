import type { Plan } from '../../plan/plan.js';
import { everyStepOf } from '../../plan/plan.js';
import type { ModelChoice } from '../../plan/agents/model-choice.js';
import type { Agent, AgentStep } from '../../plan/step.js';
import { modelKeyOf } from '../../plan/step.js';
import type { ProgramName, ProgramSettings } from '../../plan/agents/program.js';
import { isPlayed } from '../../plan/players.js';
import { isOpenToPrograms } from '../../plan/agents/program.js';
import type { ProviderToolName } from '../../plan/tools/tool.js';
import type { ChooseModels } from '../models/choice/choose.js';
import { chooseModels } from '../models/choice/choose.js';
import { takesFiles, unreadableBy } from '../models/files.js';
import { PLAYED, providerToolOf, providesTool } from '../models/provider-tools.js';
import { reachOf } from '../models/choice/reach.js';
import type { ChoosePrograms } from '../programs/choose.js';
import { choosePrograms, installedPrograms } from '../programs/choose.js';
import { PROGRAM } from '../programs/programs.js';
import { ownOf } from '../../plan/values/own.js';

export interface ChoosePlayers extends ChooseModels, Pick<ChoosePrograms, 'texts' | 'input' | 'session'> {
  /** The program of the session that the run goes on with, else `agents.default` of the config. */
  usual: ProgramName | null;
}

/** Who plays the agents of a run, or why nobody can: what to set or to install. */
export type ChosenPlayers = { models: Record<string, ModelChoice>; programs?: ProgramSettings } | { failure: string };

/**
 * Settles, when a run starts, who plays each agent: the program that it names, `agents.default`, a model provider, or
 * where none is configured an installed program. A rehearsal has its stand-in for all.
 */
export async function choosePlayers(options: ChoosePlayers): Promise<ChosenPlayers> {
  if (options.rehearse) return chooseModels(options);
  const chosen = await chooseWith(options, options.usual);
  if ('models' in chosen || options.usual !== null || !(await isWithoutProvider(options))) return chosen;
  if (installedPrograms(options.env).size === 0)
    return !mayBePlayed(options.plan)
      ? chosen
      : {
          failure:
            `${chosen.failure} An installed \`claude\`, \`codex\` or \`gemini\` would do as well ` +
            `(${PROGRAM.claude.install}).`,
        };
  const played = await chooseWith(options, 'installed');
  return 'models' in played ? played : chosen;
}

/** Tells whether an installed program could play all agents of a Plan: none names a program or a provider. */
function mayBePlayed(plan: Plan): boolean {
  return [...everyStepOf(plan)].every(
    (step) =>
      step.kind !== 'agent' ||
      ((plan.agents[step.agent]?.program ?? null) === null && isOpenToPrograms(step, plan.agents[step.agent])),
  );
}

async function chooseWith(options: ChoosePlayers, usual: ChoosePrograms['usual']): Promise<ChosenPlayers> {
  const chosen = choosePrograms({ ...options, usual });
  if ('failure' in chosen) return chosen;
  const { programs } = chosen;
  const models = await chooseModels({ ...options, except: isPlayed(options.plan, programs) });
  if ('failure' in models) return models;
  const lacking =
    withoutTool(options.plan, models.models, isPlayed(options.plan, programs)) ??
    withoutFiles(options.plan, models.models, isPlayed(options.plan, programs));
  if (lacking !== null) return { failure: lacking };
  return programs === undefined ? models : { ...models, programs };
}

/** Why an agent cannot have a tool that its model's provider would run; null when all can that shall. */
function withoutTool(
  plan: Plan,
  models: Record<string, ModelChoice>,
  isOther: (step: AgentStep) => boolean,
): string | null {
  for (const { agent, model } of askedAgents(plan, isOther)) {
    const choice = ownOf(models, model);
    const lacking =
      choice === undefined ? undefined : providerTools(agent).find((tool) => !providesTool(choice.provider, tool));
    if (lacking !== undefined && choice !== undefined)
      return unavailable(agent, lacking, `and the agent's model is \`${choice.provider}:${choice.model}\``);
  }
  for (const agent of playedAgents(plan, isOther)) {
    const lacking = providerTools(agent).find((tool) => !PLAYED.includes(tool));
    if (lacking !== undefined) return unavailable(agent, lacking, 'and a program plays the agent');
  }
  return null;
}

/** Why an agent cannot be shown a file that is attached for it; null when all can. */
function withoutFiles(
  plan: Plan,
  models: Record<string, ModelChoice>,
  isOther: (step: AgentStep) => boolean,
): string | null {
  for (const step of everyStepOf(plan)) {
    const file = step.kind === 'agent' ? step.attachments?.[0] : undefined;
    if (step.kind !== 'agent' || file === undefined) continue;
    const agent = plan.agents[step.agent];
    if (isOther(step)) return unreadableBy(file.name, 'a program');
    const choice = ownOf(models, modelKeyOf(step, agent));
    if (choice !== undefined && !takesFiles(choice.provider))
      return unreadableBy(file.name, `${choice.provider}:${choice.model}`);
  }
  return null;
}

function unavailable({ name }: Agent, tool: ProviderToolName, but: string): string {
  const said = `\`${tool}\` of the agent \`${name}\` is unavailable: `;
  if (!providesTool('anthropic', tool)) return `${said}no provider here has it. Take the tool away.`;
  const search =
    tool === 'web_search' ? 'name a search under `search` of perdure.yml and `web_search` under `tools`, ' : '';
  return `${said}it is Anthropic's, ${but}. Give it a Claude model, ${search}or take the tool away.`;
}

function providerTools({ uses = [] }: Agent): ProviderToolName[] {
  return uses.flatMap((tool) => providerToolOf(tool) ?? []);
}

function playedAgents(plan: Plan, isPlayed: (step: AgentStep) => boolean): Agent[] {
  return [...everyStepOf(plan)].flatMap((step) => {
    const agent = step.kind === 'agent' && isPlayed(step) ? plan.agents[step.agent] : undefined;
    return agent === undefined ? [] : [agent];
  });
}

/**
 * The agents that are asked through a provider, each with the name of its model: those of steps, and those that they
 * reach as tools.
 */
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

/** Tells whether no model provider can be reached at all; one that lacks a model is no reason to ask somebody else. */
async function isWithoutProvider({ env, providers = {}, signal }: ChoosePlayers): Promise<boolean> {
  const reach = reachOf({ env, providers, baseUrl: null, signal });
  return !reach.hasKey && !reach.hasOpenai && (await reach.ollama()) === null;
}
