import { CREDENTIALS } from '../activities/dependencies.js';
import type { ProviderOptions } from '../activities/models/choice/reach.js';
import { keyVariables } from '../activities/models/choice/reach.js';
import type { Config } from '../compiler/project/config.js';
import { toMcpServer } from '../compiler/formats/mcp-config.js';
import { addressVariable } from '../plan/gates/notice.js';
import { variablesIn, variablesOf } from '../plan/tools/mcp-server.js';
import type { Env } from '../store/cache-folder.js';
import { APPROVAL_KEY } from '../store/records/given-key.js';
import type { TelemetryConfig } from './telemetry/telemetry-settings.js';
import { telemetryVariables } from './telemetry/telemetry-settings.js';
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
export function configVariables({ providers, mcp = {}, search, notify }: NamesVariables): string[] {
  const { webhook, secret, slack, teams, email } = notify ?? {};
  return [
    ...keyVariables(providers),
    ...variablesIn(Object.values(search?.headers ?? {})),
    ...Object.values(mcp).flatMap((server) => variablesOf(toMcpServer(server))),
    ...[webhook, secret, slack, teams, email?.user, email?.password].flatMap(
      (written) => addressVariable(written) ?? [],
    ),
  ];
}

/** Everything that a host is told: of providers, of what the config names, and where telemetry goes. */
export function hostVariables(env: Env, config: NamesVariables & TelemetryConfig): Record<string, string> {
  return { ...providerVariables(env, configVariables(config)), ...telemetryVariables(config, env) };
}

/**
 * What a host knows after another command joined it. A provider for which the command sets anything is taken whole
 * from it, so that one command's key never goes to another command's address; providers it does not name stay.
 */
export function mergeCredentials(known: Record<string, string>, given: Record<string, string>): Record<string, string> {
  const providers = new Set(Object.keys(given).map(providerOf));
  const kept = Object.entries(known).filter(([name]) => !providers.has(providerOf(name)));
  return { ...Object.fromEntries(kept), ...given };
}

/** Words that variables begin with whose provider has another: one provider's key and address stay together. */
const ALSO: Record<string, string> = { CLAUDE: 'ANTHROPIC', CODEX: 'OPENAI', GEMINI: 'GOOGLE' };

/** A variable that only a config names stands for itself. */
function providerOf(variable: string): string {
  if (!CREDENTIALS.some((name) => name === variable)) return variable;
  const [word = variable] = variable.split('_');
  return ALSO[word] ?? word;
}
