import { CREDENTIALS } from '../activities/dependencies.js';
import type { ProviderOptions } from '../activities/models/choice/reach.js';
import { keyVariable, keyVariables } from '../activities/models/choice/reach.js';
import type { Config } from '../compiler/project/config.js';
import { toMcpServer } from '../compiler/formats/mcp-config.js';
import { addressVariable } from '../plan/gates/notice.js';
import { variablesIn, variablesOf } from '../plan/tools/mcp-server.js';
import type { Env } from '../store/cache-folder.js';
import { APPROVAL_KEY } from '../store/records/given-key.js';
import type { TelemetryConfig } from './telemetry/telemetry-settings.js';
import { isTelemetryVariable, telemetryVariables } from './telemetry/telemetry-settings.js';
import { ownOf } from '../plan/values/own.js';

/**
 * The provider variables that are set, the key that signs decisions, and those that the config names: they travel to
 * the host in memory only (I13).
 */
export function providerVariables(env: Env, named: string[] = []): Record<string, string> {
  return Object.fromEntries(
    [...CREDENTIALS, APPROVAL_KEY, ...named].flatMap((name) => {
      const value = ownOf(env, name);
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** What of the config names variables. */
export interface NamesVariables {
  providers?: ProviderOptions | undefined;
  mcp?: Config['mcp'];
  search?: Config['search'];
  notify?: Config['notify'];
}

/**
 * Every variable that the config names: keys of providers, secrets of MCP servers and of the search, and where notices
 * go.
 */
export function configVariables(config: NamesVariables): string[] {
  return [...keyVariables(config.providers), ...configGroups(config).flat()];
}

/** The variables that one thing of the config names, which go to one place together. */
function configGroups({ providers, mcp = {}, search, notify }: NamesVariables): string[][] {
  const { webhook, secret, slack, teams, email } = notify ?? {};
  const named = (...written: (string | undefined)[]): string[] => written.flatMap((one) => addressVariable(one) ?? []);
  return [
    ...Object.entries(providers ?? {}).map(([provider, options]) => {
      const key = keyVariable(options);
      return key === null ? [] : [key, ...CREDENTIALS.filter((name) => providerOf(name) === provider.toUpperCase())];
    }),
    variablesIn(Object.values(search?.headers ?? {})),
    ...Object.values(mcp).map((server) => variablesOf(toMcpServer(server))),
    named(webhook, secret),
    named(slack),
    named(teams),
    named(email?.user, email?.password),
  ];
}

/**
 * Everything that a host is told: of providers, of what the config names, and where telemetry goes. What is not set is
 * told as empty where it belongs to something that is.
 */
export function hostVariables(env: Env, config: NamesVariables & TelemetryConfig): Record<string, string> {
  const groups = configGroups(config);
  const set = providerVariables(env, [...keyVariables(config.providers), ...groups.flat()]);
  const unset = groups.filter((group) => group.some((name) => name in set)).flat();
  return { ...Object.fromEntries(unset.map((name) => [name, ''])), ...set, ...telemetryVariables(config, env) };
}

/**
 * What a host knows after another command joined it. What belongs together (a provider, telemetry, a server of the
 * config) is taken whole from a command that sets anything of it, so that one command's key never goes to another
 * command's address; what it does not name stays.
 */
export function mergeCredentials(known: Record<string, string>, given: Record<string, string>): Record<string, string> {
  const groups = new Set(Object.keys(given).map(groupOf));
  const kept = Object.entries(known).filter(([name]) => !groups.has(groupOf(name)));
  return Object.fromEntries([...kept, ...Object.entries(given)].filter(([, value]) => value !== ''));
}

/** Words that variables begin with whose provider has another: one provider's key and address stay together. */
const ALSO: Record<string, string> = { CLAUDE: 'ANTHROPIC', CODEX: 'OPENAI', GEMINI: 'GOOGLE' };

/** What a variable belongs to, by its name; one that only a config names stands for itself. */
function groupOf(variable: string): string {
  if (isTelemetryVariable(variable)) return 'OTEL';
  return CREDENTIALS.some((name) => name === variable) ? providerOf(variable) : variable;
}

function providerOf(variable: string): string {
  const [word = variable] = variable.split('_');
  return ALSO[word] ?? word;
}
