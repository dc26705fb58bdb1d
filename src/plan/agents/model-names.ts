import { ownOf } from '../values/own.js';

/** What the config says about models: `models.default` and `models.aliases`. */
export interface ModelOptions {
  default?: string | null | undefined;
  aliases?: Record<string, string> | undefined;
}

const ALIASES = new Map([
  ['fable', 'claude-fable-5-2'],
  ['opus', 'claude-opus-5-5'],
  ['sonnet', 'claude-sonnet-5-5'],
  ['haiku', 'claude-haiku-5-5'],
]);

/** The model of agents that name none, where neither the config nor the environment names one. */
export const DEFAULT_MODEL = 'sonnet';

/** The model of the agents of builds, likewise. */
export const BUILD_MODEL = byDefault('claude-opus-4-6');

/** Names that need no configuration. */
export const SHORT_NAMES = [...ALIASES.keys()];

/** A name that gives way to the default of the project or the environment: that of shipped agents. */
export function byDefault(name: string): string {
  return `default:${name}`;
}

/**
 * The name that counts where nobody says another default: `DEFAULT_MODEL` for none, that of `default:X`; null for a
 * name that stands by itself.
 */
export function defaultOf(name: string): string | null {
  return name === '' ? DEFAULT_MODEL : (/^default:(.+)$/.exec(name)?.[1] ?? null);
}

/** What OpenAI calls its models: such a name goes there where it can be reached, without `openai:` before it. */
export const OPENAI_NAME = /^(gpt-|chatgpt-|o\d)/;

/** What is said of a model that its provider does not have. */
export const OTHER_MODELS =
  'Name another in the definition, or by `models.default` or `models.aliases` in perdure.yml.';

/** The full id of a model that has a short name; any other name as it is. */
export function fullModelName(name: string): string {
  return ALIASES.get(name) ?? name;
}

/**
 * The model that a written name stands for, by the config's aliases and then by ours; `''` is no name: the config's
 * default, `CLAUDE_MODEL`, else `DEFAULT_MODEL`; `default:X` the same with X in its place.
 */
export function wantedModel(
  name: string,
  { default: usual, aliases = {} }: ModelOptions,
  env: Record<string, string | undefined>,
): string {
  const otherwise = defaultOf(name);
  const written = otherwise === null ? name : (usual ?? (env['CLAUDE_MODEL'] || otherwise));
  return fullModelName(ownOf(aliases, written) ?? written);
}
