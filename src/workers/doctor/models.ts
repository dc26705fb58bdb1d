import { readAll, request } from '../../activities/models/http/http.js';
import { ollamaUrl } from '../../activities/models/http/ollama-address.js';
import { openaiUrl } from '../../activities/models/openai.js';
import { keyVariable } from '../../activities/models/choice/reach.js';
import type { Config } from '../../compiler/project/config.js';
import type { Env } from '../../store/cache-folder.js';
import { withoutLogin } from '../../plan/text/without-login.js';
import { timeLimit } from '../../store/time-limit.js';
import type { Finding } from './finding.js';
import { messageOf } from '../errors.js';
import { ownOf } from '../../plan/values/own.js';

type Models = Pick<Config, 'providers' | 'models'>;

const LOCAL_MS = 5_000;
const ENDPOINT_MS = 10_000;
/** So many models of an endpoint are named at most. */
const SHOWN = 8;

/** What answers for models: Ollama on this machine, and a server that speaks OpenAI's protocol where one is named. */
export async function modelFindings(config: Models, env: Env): Promise<Finding[]> {
  const endpoint = env['OPENAI_BASE_URL'] || config.providers?.openai?.base_url;
  return Promise.all([
    ollama(config, env),
    ...(endpoint === undefined ? [] : [openai(openaiUrl(endpoint), config, env)]),
  ]);
}

async function ollama({ providers }: Models, env: Env): Promise<Finding> {
  const address = ollamaUrl(env['OLLAMA_HOST'] || providers?.ollama?.base_url);
  const place = withoutLogin(address);
  const name = 'ollama';
  try {
    const response = await request(`${address}/api/tags`, { signal: timeLimit(LOCAL_MS) });
    const { models = [] } = JSON.parse(await readAll(response)) as { models?: { name: string }[] }; // Ollama's API
    const known = models.map((model) => model.name).sort();
    const detail =
      known.length === 0
        ? `answers at ${place}, and has no model`
        : `answers at ${place}, with the models ${known.join(', ')}`;
    return {
      name,
      ok: response.statusCode === 200,
      required: false,
      detail,
      fix: known.length === 0 ? 'Get one: ollama pull qwen3' : null,
    };
  } catch {
    return {
      name,
      ok: false,
      required: false,
      detail: `does not answer at ${place}`,
      fix: 'Install and start it: https://ollama.com',
    };
  }
}

interface Endpoint {
  url: string;
  /** As people may see it: an address may hold a password (I13). */
  place: string;
  /** The variable that holds its key, and the key; empty for none. */
  variable: string;
  key: string;
}

/** Finds whether an endpoint answers, takes the key, and has the models that the config names. That costs nothing. */
async function openai(url: string, config: Models, env: Env): Promise<Finding> {
  const variable = keyVariable(config.providers?.openai) ?? 'OPENAI_API_KEY';
  const endpoint: Endpoint = {
    url,
    place: withoutLogin(url),
    variable,
    key: ownOf(env, variable) ?? '',
  };
  const found = await ask(endpoint, namedModels(config, env)).catch((error: unknown) => ({
    ok: false,
    detail: `${endpoint.place} does not answer: ${messageOf(error)}`,
    fix: 'Start it, or correct `providers.openai.base_url` in perdure.yml',
  }));
  return { name: 'openai endpoint', required: false, ...found };
}

type Told = Pick<Finding, 'ok' | 'detail' | 'fix'>;

async function ask({ url, place, variable, key }: Endpoint, named: string[]): Promise<Told> {
  const response = await request(`${url}/models`, {
    headers: key === '' ? {} : { authorization: `Bearer ${key}` },
    signal: timeLimit(ENDPOINT_MS),
  });
  const text = await readAll(response);
  switch (response.statusCode) {
    case 200:
      return judge(place, modelsIn(text), named);
    case 401:
    case 403:
      return key === ''
        ? {
            ok: false,
            detail: `${place} wants a key, and ${variable} is not set`,
            fix: `Set ${variable} where you run perdure`,
          }
        : {
            ok: false,
            detail: `${place} refuses the key in ${variable}`,
            fix: `Correct ${variable} where you run perdure`,
          };
    case 404:
      return { ok: true, detail: `${place} answers, and does not say which models it has`, fix: null };
    default:
      return {
        ok: false,
        detail: `${place} answers with ${String(response.statusCode)}`,
        fix: 'Mind `providers.openai.base_url` in perdure.yml: it ends where `/chat/completions` begins',
      };
  }
}

function judge(place: string, known: string[], named: string[]): Told {
  const missing = named.filter((model) => !known.includes(model));
  const detail = `answers at ${place}, ${known.length === 0 ? 'and has no model' : `with ${listed(known)}`}`;
  if (missing.length > 0)
    return {
      ok: false,
      detail: `${detail}; not with ${missing.join(', ')}`,
      fix: 'Correct `models` in perdure.yml, or load the model there',
    };
  return { ok: known.length > 0, detail, fix: known.length > 0 ? null : 'Load a model there' };
}

/** Models of it that the config names: the default's and those of aliases. */
function namedModels({ models }: Models, env: Env): string[] {
  const written = [models?.default ?? env['CLAUDE_MODEL'] ?? '', ...Object.values(models?.aliases ?? {})];
  return [...new Set(written.flatMap((name) => /^openai:(.+)$/.exec(name)?.[1] ?? []))];
}

function modelsIn(text: string): string[] {
  const { data } = (JSON.parse(text) ?? {}) as { data?: unknown }; // looked at below
  return (Array.isArray(data) ? data : []).flatMap((model: unknown) => {
    const { id } = (model ?? {}) as { id?: unknown }; // likewise
    return typeof id === 'string' ? [id] : [];
  });
}

function listed(models: string[]): string {
  const more = models.length - SHOWN;
  return `${models.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
}
