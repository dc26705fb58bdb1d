import { matchesStars } from '../../../plan/values/wildcard.js';
import type { Agent } from '../../../plan/step.js';

/** The part of an agent that says which models may play it. */
export type Particular = Pick<Agent, 'name' | 'compatible_models'>;

/**
 * Tells whether a model may play an agent: its full name, with the provider or without, fits one of the agent's
 * patterns.
 */
export function isCompatible(model: string, agent: Particular | null): boolean {
  const { compatible_models: patterns } = agent ?? {};
  if (patterns === undefined) return true;
  const names = [model, `anthropic:${model}`, model.replace(/^[a-z]+:/, '')].map((name) => name.toLowerCase());
  return patterns.some((pattern) => names.some((name) => matches(name, pattern.toLowerCase())));
}

/** What is told of a model that may not. */
export function incompatible(model: string, agent: Particular | null): string {
  const patterns = (agent?.compatible_models ?? []).map((pattern) => `\`${pattern}\``).join(', ');
  return (
    `The agent \`${agent?.name ?? ''}\` is for models ${patterns}, and \`${model}\` is none of them: set ` +
    `\`models.default\` in perdure.yml.`
  );
}

/** Tells whether a text fits a pattern of `*` and `?`. */
function matches(text: string, pattern: string): boolean {
  return matchesStars(
    pattern,
    text,
    (part) => part === '*',
    (part, character) => part === '?' || part === character,
  );
}
