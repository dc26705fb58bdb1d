import { join } from 'node:path';
import { z } from 'zod';
import type { Json } from '../plan/json.js';
import { isObject } from '../plan/json.js';
import { check } from './check.js';
import { budgets, count, filledText } from './formats/values.js';
import { displayName } from './load.js';
import type { Node } from './node.js';
import type { Problem, Report } from './problem.js';
import { createReport, sortProblems } from './problem.js';
import type { Project } from './project.js';
import { kindOf, readText } from './read.js';
import { createSource } from './source.js';
import { parseYaml } from './yaml.js';

const price = z.strictObject(
  {
    input: z.number().nonnegative({ error: 'a number of at least 0' }).describe('US dollars for a million tokens in.'),
    output: z.number().nonnegative({ error: 'a number of at least 0' }).describe('US dollars for a million tokens out.'),
  },
  { error: 'a map with input and output' },
);

const provider = z.strictObject(
  {
    base_url: z.url({ protocol: /^https?$/, error: 'an http or https address' }).optional().describe('Where requests go.'),
    key: z
      .string()
      .regex(/^\$\{env\.[A-Za-z_][A-Za-z0-9_]*\}$/, { error: 'a reference to a variable of the environment, such as ${env.ANTHROPIC_API_KEY}' })
      .optional()
      .describe('The key, as a reference: `${env.NAME}`. Never the key itself.'),
    concurrency: count.optional().describe('Calls at once.'),
  },
  { error: 'a map with base_url, key, concurrency' },
);

const section = { error: 'a map' };

/** `perdure.yml`. Everything is optional. */
export const configSchema = z
  .strictObject({
    workflows: z
      .strictObject(
        {
          max_depth: count.max(100, { error: 'a whole number from 1 to 100' }).optional().describe('Levels of nested workflows; 5 when left out.'),
          budgets: budgets.optional().describe('Limits that no run exceeds.'),
          ai_generated_budgets: budgets.optional().describe('Limits of workflows that an agent made.'),
          ai_generated: z
            .strictObject({ allow_tools: z.boolean({ error: 'true or false' }).optional().describe('Whether they may use tools.') }, section)
            .optional()
            .describe('What an agent may put into the workflows that it makes.'),
        },
        section,
      )
      .optional()
      .describe('How workflows run.'),
    models: z
      .strictObject(
        {
          default: filledText.optional().describe('The model of steps and agents that name none.'),
          aliases: z.record(z.string(), filledText, section).optional().describe('Short names, and the models they mean.'),
          prices: z.record(z.string(), price, section).optional().describe('Prices by full model id, where the built-in table has none or is old.'),
          assume_price: price.optional().describe('The price of models that no table has; the dearest known when left out.'),
        },
        section,
      )
      .optional()
      .describe('Which models are called, and what they cost.'),
    providers: z
      .strictObject(
        {
          anthropic: provider.optional().describe('Claude.'),
          ollama: provider.optional().describe('Models on a machine of yours; `OLLAMA_HOST`, else http://localhost:11434.'),
          openai: provider.optional().describe('OpenAI, and what speaks its protocol.'),
        },
        section,
      )
      .optional()
      .describe('Where models are reached.'),
    agents: z
      .strictObject({ default: filledText.optional().describe('The program that plays agents which name none.') }, section)
      .optional()
      .describe('Who plays agents.'),
    task_queue: z
      .string({ error: 'a text' })
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, { error: 'a name of letters, digits, `.`, `_`, `-`' })
      .optional()
      .describe('Task queue of this project; made from the store when left out.'),
  })
  .describe('The configuration of a project.');

export type Config = z.infer<typeof configSchema>;

const UNSUPPORTED = new Set(['permissions', 'approvals', 'sessions', 'memory', 'devices', 'notify', 'generated_agents_dir', 'generated_workers_dir']);

const SECRETS = new Set(['key']);

export interface LoadedConfig {
  config: Config;
  problems: Problem[];
  sources: Map<string, string>;
}

/** The project's configuration: `perdure.yml`, and `.glee/config.yml` for what it does not say. Problems leave it empty. */
export function loadConfig(project: Project, cwd: string = project.root): LoadedConfig {
  const { problems, report } = createReport();
  const sources = new Map<string, string>();
  const read = (file: string, unknownKeys: 'error' | 'warning'): Config => checkConfigFile({ file, cwd, unknownKeys, report, sources });
  const glee = join(project.root, '.glee', 'config.yml');
  const own = project.configFile === null ? {} : read(project.configFile, 'error');
  const supply = kindOf(glee) === 'missing' ? {} : read(glee, 'warning');
  return { config: supplement(own as Json, supply as Json) as Config, problems: sortProblems(problems), sources }; // both are checked, and maps merge to maps of the same keys
}

interface ConfigFile {
  file: string;
  cwd: string;
  /** `.glee/config.yml` is another tool's: what it has beyond ours is a warning. */
  unknownKeys: 'error' | 'warning';
  report: Report;
  sources: Map<string, string>;
}

/** Reads and checks one configuration file; empty when it has problems. */
export function checkConfigFile({ file, cwd, unknownKeys, report, sources }: ConfigFile): Config {
  const content = readText(file);
  const source = createSource(file, displayName(cwd, file), 'text' in content ? content.text : '');
  if ('failure' in content) {
    report({ code: 'unreadable-file', at: { source, path: '', start: 0, end: 1 }, message: content.failure });
    return {};
  }
  sources.set(source.file, content.text);
  // A file of comments alone says nothing, and may.
  if (content.text.replace(/#.*$/gm, '').trim() === '') return {};
  const watch: Report = (finding) => {
    // A key in the place of a reference: the line is not shown either (I13).
    if (SECRETS.has(finding.at.path.split('.').at(-1) ?? '')) sources.delete(source.file);
    report(finding);
  };
  return readConfig(parseYaml({ source, start: 0, end: content.text.length }, watch), watch, unknownKeys);
}

function readConfig(node: Node | null, report: Report, unknownKeys: 'error' | 'warning'): Config {
  return (node && check(configSchema, node, { report, unknownKeys, secrets: SECRETS, unsupported: unknownKeys === 'error' ? UNSUPPORTED : new Set() })) ?? {};
}

/** What the first does not say, the second does, key by key. */
function supplement(own: Json | undefined, supply: Json | undefined): Json {
  if (own === undefined) return supply ?? null;
  if (!isObject(own) || !isObject(supply)) return own;
  return Object.fromEntries([...new Set([...Object.keys(own), ...Object.keys(supply)])].map((key) => [key, supplement(own[key], supply[key])]));
}
