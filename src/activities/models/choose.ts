import type { Plan, PlanBody } from '../../plan/plan.js';
import type { ModelChoice } from '../../plan/run-input.js';
import { readAll, request } from './http.js';
import { ollamaUrl } from './ollama.js';

/** What the config says about models: `models.default` and `models.aliases`. */
export interface ModelOptions {
  default?: string | null | undefined;
  aliases?: Record<string, string> | undefined;
}

export interface ChooseModels {
  plan: Plan;
  options: ModelOptions;
  /** The environment of who submits. */
  env: Record<string, string | undefined>;
  rehearse: boolean;
  signal?: AbortSignal;
}

/** The models of a run by the names that its Plan uses, or why there are none: what to set. */
export type ChosenModels = { models: Record<string, ModelChoice> } | { failure: string };

const ALIASES = new Map([
  ['fable', 'claude-fable-5-2'],
  ['opus', 'claude-opus-5-5'],
  ['sonnet', 'claude-sonnet-5-5'],
  ['haiku', 'claude-haiku-5-5'],
]);

const OLLAMA_TIMEOUT_MS = 2_000;

/** What this environment can reach. */
interface Reach {
  hasKey: boolean;
  /** Models that a reachable Ollama has, the latest first; null when there is none. */
  ollama: () => Promise<string[] | null>;
  ollamaAddress: string;
}

/** Settles, when a run starts, which model each name in its Plan stands for. Nothing is asked of a provider that is not needed. */
export async function chooseModels({ plan, options, env, rehearse, signal }: ChooseModels): Promise<ChosenModels> {
  const reach = reachOf(env, signal);
  const models: Record<string, ModelChoice> = {};
  for (const name of modelNamesOf(plan)) {
    const wanted = fullName(name === '' ? (options.default ?? (env['CLAUDE_MODEL'] || 'sonnet')) : name, options);
    const choice = rehearse ? { provider: 'rehearsal' as const, model: wanted } : await choose(wanted, reach);
    if (typeof choice === 'string') return { failure: choice };
    models[name] = choice;
  }
  return { models };
}

/** Every model name that steps and agents of a Plan use; `''` where none is written. */
export function modelNamesOf(plan: Plan): string[] {
  const bodies: PlanBody[] = [plan, ...Object.values(plan.nested)];
  const steps = bodies.flatMap((body) => body.steps);
  return [...new Set(steps.flatMap((step) => (step.kind === 'agent' ? [step.model ?? plan.agents[step.agent]?.model ?? ''] : [])))];
}

function fullName(name: string, { aliases = {} }: ModelOptions): string {
  const meant = (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
  return ALIASES.get(meant) ?? meant;
}

/** A choice, or a text that says what is missing. */
async function choose(name: string, reach: Reach): Promise<ModelChoice | string> {
  const [, provider, model] = /^(anthropic|ollama|openai|rehearsal):(.+)$/.exec(name) ?? [];
  if (provider !== undefined && model !== undefined) return chooseWithin(provider, ALIASES.get(model) ?? model, reach);
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
      return reach.hasKey ? { provider, model } : `The model \`anthropic:${model}\` needs a key: set ANTHROPIC_API_KEY, or run with --rehearse.`;
    case 'ollama': {
      const available = await reach.ollama();
      if (available === null) return `The model \`ollama:${model}\` needs Ollama, which does not answer at ${reach.ollamaAddress}: start it with \`ollama serve\`, set OLLAMA_HOST, or run with --rehearse.`;
      const found = matching(model, available);
      return found === undefined ? missingInOllama(model, reach) : { provider, model: found };
    }
    case 'rehearsal':
      return { provider, model };
    default:
      return `The model \`${provider}:${model}\` needs a provider that this version does not have: expected \`anthropic\` or \`ollama\`.`;
  }
}

function noProvider(name: string, { ollamaAddress }: Reach): string {
  return `No model provider for \`${name}\`: set ANTHROPIC_API_KEY, or start Ollama (nothing answers at ${ollamaAddress}; OLLAMA_HOST says where it is), or run with --rehearse.`;
}

function missingInOllama(model: string, { ollamaAddress }: Reach): string {
  const wanted = model.startsWith('claude-') ? 'any model' : `the model \`${model}\``;
  const example = model.startsWith('claude-') ? 'qwen3' : model;
  return `Ollama at ${ollamaAddress} does not have ${wanted}: get it with \`ollama pull ${example}\`, set ANTHROPIC_API_KEY for Claude, or run with --rehearse.`;
}

/** Ollama's own rule: a name without a tag is `latest`. */
function matching(name: string, available: string[]): string | undefined {
  return available.find((model) => model === name || model === `${name}:latest`);
}

function reachOf(env: Record<string, string | undefined>, signal: AbortSignal | undefined): Reach {
  const address = ollamaUrl(env['OLLAMA_HOST']);
  let asked: Promise<string[] | null> | null = null;
  return {
    hasKey: Boolean(env['ANTHROPIC_API_KEY'] || env['ANTHROPIC_AUTH_TOKEN']),
    ollama: () => (asked ??= ollamaModels(address, signal)),
    ollamaAddress: address,
  };
}

/** Models for conversations that an Ollama has, the latest changed first; null when none answers there. */
async function ollamaModels(address: string, signal: AbortSignal | undefined): Promise<string[] | null> {
  const limit = AbortSignal.timeout(OLLAMA_TIMEOUT_MS);
  try {
    const response = await request(`${address}/api/tags`, { signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) });
    const answer = JSON.parse(await readAll(response)) as { models?: { name?: unknown }[] }; // Looked at below.
    const names = (answer.models ?? []).map(({ name }) => name);
    return names.filter((name): name is string => typeof name === 'string' && !/embed/i.test(name));
  } catch {
    signal?.throwIfAborted();
    return null;
  }
}
