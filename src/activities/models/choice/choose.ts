import { modelsIn } from '../../../plan/budget/exhaustion.js';
import { plansTasks } from '../../../plan/agents/planned-by.js';
import type { Plan, PlanBody } from '../../../plan/plan.js';
import { everyStepOf } from '../../../plan/plan.js';
import type { ModelChoice } from '../../../plan/agents/model-choice.js';
import type { Agent, AgentStep, Step } from '../../../plan/step.js';
import { modelKeyOf } from '../../../plan/step.js';
import type { Particular } from './compatible.js';
import { incompatible, isCompatible } from './compatible.js';
import type { ModelOptions } from '../../../plan/agents/model-names.js';
import {
  OPENAI_NAME,
  SHORT_NAMES,
  byDefault,
  defaultOf,
  fullModelName,
  wantedModel,
} from '../../../plan/agents/model-names.js';
import type { ProviderOptions, Reach } from './reach.js';
import { matching, reachOf, withPlace } from './reach.js';
import type { PriceOptions } from './with-price.js';
import { withPrice } from './with-price.js';

export interface ChooseModels {
  plan: Plan;
  options: ModelOptions & PriceOptions;
  /** `providers` of the config. */
  providers?: ProviderOptions;
  /** The environment of who submits. */
  env: Record<string, string | undefined>;
  rehearse: boolean;
  /** Steps that a program plays need no model. */
  except?: (step: AgentStep) => boolean;
  /** Names of models that the run may turn to, beside those that the Plan names (`on_exhausted` of the config). */
  also?: string[];
  signal?: AbortSignal;
}

/** The models of a run by the names that its Plan uses, or why there are none: what to set. */
export type ChosenModels = { models: Record<string, ModelChoice> } | { failure: string };

/** A model that a Plan needs. */
interface WantedModel {
  /** The name in the run's settings. */
  key: string;
  /** As the definition writes it; empty for none. */
  name: string;
  baseUrl: string | null;
  /** The agent that wants it. */
  agent: Particular | null;
}

/**
 * Settles, when a run starts, which model each name in its Plan stands for. Nothing is asked of a provider that is not
 * needed.
 */
export async function chooseModels({
  plan,
  options,
  providers = {},
  env,
  rehearse,
  except = () => false,
  also = [],
  signal,
}: ChooseModels): Promise<ChosenModels> {
  const reaches = new Map<string | null, Reach>();
  const reachAt = (baseUrl: string | null): Reach => {
    const reach = reaches.get(baseUrl) ?? reachOf({ env, providers, baseUrl, signal });
    reaches.set(baseUrl, reach);
    return reach;
  };
  const models: Record<string, ModelChoice> = {};
  for (const { key, name, baseUrl, agent } of modelsWantedBy(plan, also, except)) {
    const wanted = wantedModel(name, options, env);
    if (!isCompatible(wanted, agent)) return { failure: incompatible(wanted, agent) };
    const choice = rehearse
      ? { provider: 'rehearsal' as const, model: wanted }
      : await choose(wanted, reachAt(baseUrl));
    if (typeof choice === 'string') return { failure: `${choice} ${anotherModel(name)}` };
    models[key] = withPrice(withPlace(choice, { env, providers, baseUrl }), options);
  }
  return { models };
}

/** Settles which model a name stands for that is of no run; null where it cannot be reached. */
export async function chooseModel(
  name: string,
  { options, providers = {}, env, signal }: Pick<ChooseModels, 'options' | 'providers' | 'env' | 'signal'>,
): Promise<ModelChoice | null> {
  const reach = reachOf({ env, providers, baseUrl: null, signal });
  const choice = await choose(wantedModel(name, options, env), reach);
  return typeof choice === 'string' ? null : withPrice(withPlace(choice, { env, providers, baseUrl: null }), options);
}

/**
 * Every model that steps, agents and `on_exhausted` of a Plan use, once for each key, and once more for each agent that
 * is particular.
 */
function modelsWantedBy(plan: Plan, also: string[], except: (step: AgentStep) => boolean): WantedModel[] {
  const wanted = new Map<string, WantedModel>();
  const bodies: PlanBody[] = [plan, ...Object.values(plan.nested)];
  for (const step of everyStepOf(plan)) {
    // What is made while the run runs calls these, or what others call.
    if (makesWorkflows(plan, step))
      for (const name of ['', ...SHORT_NAMES, ...SHORT_NAMES.map(byDefault)])
        wanted.set(name, { key: name, name, baseUrl: null, agent: null });
    if (step.kind !== 'agent' || except(step)) continue;
    const model = modelOf(plan, step);
    const particular = model.agent?.compatible_models === undefined ? '' : `\n${step.agent}`;
    wanted.set(model.key + particular, model);
  }
  for (const called of calledAgents(plan)) if (!wanted.has(called.key)) wanted.set(called.key, called);
  for (const name of [...also, ...bodies.flatMap((body) => modelsIn(body.on_exhausted ?? {}))])
    wanted.set(name, { key: name, name, baseUrl: null, agent: null });
  return [...wanted.values()];
}

function makesWorkflows({ agents }: Plan, step: Step): boolean {
  if (step.kind === 'plan') return step.build === undefined;
  return step.kind === 'agent' && (agents[step.agent]?.uses ?? []).some(({ name }) => name === 'workflow_create');
}

function modelOf({ agents }: Plan, step: AgentStep): WantedModel {
  const agent = agents[step.agent];
  return {
    key: modelKeyOf(step, agent),
    name: step.model ?? agent?.model ?? '',
    baseUrl: step.model === null ? (agent?.base_url ?? null) : null,
    agent: agent ?? null,
  };
}

/** What agents want that others use as tools, or give tasks. */
function calledAgents(plan: Plan): WantedModel[] {
  const { agents } = plan;
  const called: Agent[] = Object.values(agents).flatMap(({ uses = [] }) =>
    uses.flatMap((tool) => (tool.kind === 'agent' ? (agents[tool.agent] ?? []) : [])),
  );
  const tasked = [...everyStepOf(plan)].flatMap((step) =>
    plansTasks(step) ? step.tasks.team.flatMap(({ agent }) => (agent === undefined ? [] : (agents[agent] ?? []))) : [],
  );
  return [...called, ...tasked].map((agent) => ({
    key: modelKeyOf({ model: null }, agent),
    name: agent.model ?? '',
    baseUrl: agent.base_url ?? null,
    agent,
  }));
}

/** A choice, or a text that says what is missing. */
async function choose(name: string, reach: Reach): Promise<ModelChoice | string> {
  const [, provider, model] = /^(anthropic|ollama|openai|rehearsal):(.+)$/.exec(name) ?? [];
  if (provider !== undefined && model !== undefined)
    return chooseWithin(provider, provider === 'anthropic' ? fullModelName(model) : model, reach);
  if (OPENAI_NAME.test(name) && reach.hasOpenai) return { provider: 'openai', model: name };
  if (reach.hasKey) return { provider: 'anthropic', model: name };
  const available = await reach.ollama();
  if (available === null) return noProvider(name, reach);
  const found = matching(name, available) ?? (name.startsWith('claude-') ? available[0] : undefined);
  return found === undefined ? missingInOllama(name, reach) : { provider: 'ollama', model: found };
}

/** A name with its provider never goes to another one. */
async function chooseWithin(provider: string, model: string, reach: Reach): Promise<ModelChoice | string> {
  switch (provider) {
    case 'anthropic':
      return reach.hasKey
        ? { provider, model }
        : `The model \`anthropic:${model}\` needs a key: set ANTHROPIC_API_KEY, or run with --rehearse.`;
    case 'ollama': {
      const available = await reach.ollama();
      if (available === null)
        return (
          `The model \`ollama:${model}\` needs Ollama, which does not answer at ${reach.ollamaAddress}: start it ` +
          `with \`ollama serve\`, set OLLAMA_HOST, or run with --rehearse.`
        );
      const found = matching(model, available);
      return found === undefined ? missingInOllama(model, reach) : { provider, model: found };
    }
    case 'openai':
      return reach.hasOpenai
        ? { provider, model }
        : `The model \`openai:${model}\` needs a key: set OPENAI_API_KEY, name a server of your own by ` +
            `\`providers.openai.base_url\` in perdure.yml or OPENAI_BASE_URL, or run with --rehearse.`;
    case 'rehearsal':
      return { provider, model };
    default:
      return (
        `The model \`${provider}:${model}\` needs a provider that this version does not have: expected ` +
        `\`anthropic\`, \`ollama\` or \`openai\`.`
      );
  }
}

/** Where `perdure.yml` has a name stand for a model that can be reached. */
function anotherModel(name: string): string {
  if (defaultOf(name) !== null)
    return 'No definition names this model: `models.default` in perdure.yml chooses another.';
  return (
    `\`models.aliases\` in perdure.yml has \`${name}\` stand for another: \`aliases: ` +
    `{${/^\w[\w.-]*$/.test(name) ? name : JSON.stringify(name)}: …}\`.`
  );
}

function noProvider(name: string, { ollamaAddress }: Reach): string {
  return (
    `No model provider for \`${name}\`: set ANTHROPIC_API_KEY, or start Ollama (nothing answers at ` +
    `${ollamaAddress}; OLLAMA_HOST says where it is), or run with --rehearse.`
  );
}

function missingInOllama(model: string, { ollamaAddress }: Reach): string {
  const wanted = model.startsWith('claude-') ? 'any model' : `the model \`${model}\``;
  const example = model.startsWith('claude-') ? 'qwen3' : model;
  return (
    `Ollama at ${ollamaAddress} does not have ${wanted}: get it with \`ollama pull ${example}\`, set ` +
    `ANTHROPIC_API_KEY for Claude, or run with --rehearse.`
  );
}
