import { join } from 'node:path';
import { z } from 'zod';
import { PROGRAMS } from '../../plan/agents/program.js';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { check } from '../text/check.js';
import { devicesSchema } from '../formats/device-config.js';
import { encryptionSchema } from '../formats/encryption.js';
import { mcpServers, secretValues } from '../formats/mcp-config.js';
import { notifySchema } from '../formats/notify/notify.js';
import { permissionsSchema } from '../formats/permissions.js';
import { autonomySchema } from '../formats/autonomy.js';
import { narrationSchema } from '../formats/narration.js';
import { quotaSchema } from '../formats/quota.js';
import { between } from '../formats/build/values.js';
import { budgets, count, durability, filledText, variable, webAddress } from '../formats/values.js';
import { madeFolder } from './generated-folder.js';
import { createUnread, fromGlee } from './glee-config.js';
import type { Node } from '../text/node.js';
import type { Problem, Report } from '../problems/problem.js';
import { createReport, sortProblems } from '../problems/problem.js';
import { warnOfNearSettings } from './near-models.js';
import type { Project } from './project.js';
import { kindOf } from '../text/disk.js';
import { readSource } from '../text/read-source.js';
import { parseYaml } from '../text/yaml.js';
import { ownOf } from '../../plan/values/own.js';

/** Of sessions that nobody means to lose: of more, no moment can be reckoned. */
const MOST_DAYS = 36_500;

const dollars = z.number({ error: 'a number of at least 0' }).nonnegative({ error: 'a number of at least 0' });
const price = z.strictObject(
  {
    input: dollars.describe('US dollars for a million tokens in.'),
    output: dollars.describe('US dollars for a million tokens out.'),
  },
  { error: 'a map with input and output' },
);

const provider = z.strictObject(
  {
    base_url: webAddress.optional().describe('Where requests go.'),
    key: variable('ANTHROPIC_API_KEY')
      .optional()
      .describe('The key, as a reference: `${env.NAME}`. Never the key itself.'),
    concurrency: count.optional().describe('Calls at once.'),
  },
  { error: 'a map with base_url, key, concurrency' },
);

const section = { error: 'a map' };

/** An address with one `${query}` behind its host. */
const searchUrl = filledText.refine(
  (written) =>
    /^https?:\/\/[^/?#$]+[/?][^$]*\$\{query\}[^$]*$/.test(written) && URL.canParse(written.replace('${query}', 'x')),
  { error: 'an http or https address with `${query}` in its path or behind its `?`' },
);

/** `perdure.yml`. Everything is optional. */
export const configSchema = z
  .strictObject({
    project: filledText.optional().describe('Tells the projects of one store apart; their folders do when left out.'),
    workflows: z
      .strictObject(
        {
          max_depth: count
            .max(100, { error: 'a whole number from 1 to 100' })
            .optional()
            .describe('Levels of nested workflows; 5 when left out.'),
          budgets: budgets.optional().describe('Limits that no run exceeds.'),
          ai_generated_budgets: budgets.optional().describe('Limits of workflows that an agent made.'),
          ai_generated: z
            .strictObject(
              { allow_tools: z.boolean({ error: 'true or false' }).optional().describe('Whether they may use tools.') },
              section,
            )
            .optional()
            .describe('What an agent may put into the workflows that it makes.'),
        },
        section,
      )
      .optional()
      .describe('How workflows run.'),
    quota: quotaSchema.optional().describe('What all runs together may cost.'),
    models: z
      .strictObject(
        {
          default: filledText.optional().describe('The model of steps and agents that name none.'),
          aliases: z
            .record(z.string(), filledText, section)
            .optional()
            .describe('Short names, and the models they mean.'),
          prices: z
            .record(z.string(), price, section)
            .optional()
            .describe('Prices by full model id, where the built-in table has none or is old.'),
          assume_price: price
            .optional()
            .describe('The price of models that no table has; the dearest known when left out.'),
        },
        section,
      )
      .optional()
      .describe('Which models are called, and what they cost.'),
    providers: z
      .strictObject(
        {
          anthropic: provider.optional().describe('Claude.'),
          ollama: provider
            .optional()
            .describe('Models on a machine of yours; `OLLAMA_HOST`, else http://localhost:11434.'),
          openai: provider.optional().describe('OpenAI, and what speaks its protocol.'),
        },
        section,
      )
      .optional()
      .describe('Where models are reached.'),
    builds: z
      .strictObject(
        {
          max_rounds: between(0, 10)
            .optional()
            .describe('How often what was found in a build is mended, where its spec does not say it.'),
        },
        section,
      )
      .optional()
      .describe('How builds go.'),
    narration: narrationSchema.optional().describe('What narrator and teacher may use for a run.'),
    agents: z
      .strictObject(
        {
          default: z
            .enum(PROGRAMS, { error: 'a program: claude, codex or gemini' })
            .optional()
            .describe('The program that plays agents which name neither a program nor a provider.'),
          generated_agents_dir: madeFolder
            .optional()
            .describe('Where agents that agents make are written, from here; a `project.json` has its own.'),
        },
        section,
      )
      .optional()
      .describe('Who plays agents, and where those are that agents make.'),
    mcp: mcpServers.optional().describe('MCP servers whose tools agents may use, by name.'),
    search: z
      .strictObject(
        {
          url: searchUrl.describe('Its address, with `${query}` where the words stand that are looked for.'),
          headers: secretValues('Headers of its requests; `${env.NAME}` in a value is a variable of yours.'),
        },
        section,
      )
      .optional()
      .describe("Where `web_search` looks, in place of Anthropic's search."),
    permissions: permissionsSchema.optional().describe('What tools of agents may do.'),
    autonomy: autonomySchema.optional().describe('When actions wait for a person, in every run of the project.'),
    durability: durability
      .optional()
      .describe('`synced`: each step waits until what it came to is on the disk; usual when left out.'),
    approvals: z
      .strictObject(
        {
          require_token: z
            .boolean({ error: 'true or false' })
            .optional()
            .describe('Whether a decision counts only with a token that the command line makes where the store is.'),
        },
        section,
      )
      .optional()
      .describe('How gates are decided.'),
    encryption: encryptionSchema
      .optional()
      .describe('Keys that encrypt what goes to the Temporal server; nothing is encrypted when left out.'),
    notify: notifySchema
      .optional()
      .describe('Who is told when a gate waits, a limit pauses a run, or a run has ended.'),
    ui: z
      .strictObject(
        {
          public_url: z
            .url({ protocol: /^https$/, error: 'an https address' })
            .refine((url) => `${new URL(url).origin}/` === new URL(url).href, {
              error: 'an https address without a path',
            })
            .optional()
            .describe("Where people reach the pages of `perdure ui`: runs in Temporal's UI name theirs."),
        },
        section,
      )
      .optional()
      .describe('The pages on which people see runs and decide gates.'),
    devices: devicesSchema.optional().describe('Boards that are flashed and listened to, by name.'),
    sessions: z
      .strictObject(
        {
          expire_days: count
            .max(MOST_DAYS, { error: 'a number of days of at most a hundred years (36500)' })
            .optional()
            .describe('Days after which a session that nobody went on with is removed; 7 when left out.'),
          max_history: count.optional().describe('Messages of a session that agents are told; 20 when left out.'),
        },
        section,
      )
      .optional()
      .describe('Conversations that runs go on with.'),
    memory: z
      .strictObject(
        {
          inject: z
            .number({ error: 'a whole number of at least 0' })
            .int({ error: 'a whole number of at least 0' })
            .min(0, { error: 'a whole number of at least 0' })
            .max(50, { error: 'at most 50' })
            .optional()
            .describe('Memories that agents are told; 5 when left out, 0 for none.'),
        },
        section,
      )
      .optional()
      .describe('What is remembered from run to run.'),
    workspace: z
      .strictObject(
        {
          snapshots: z
            .boolean({ error: 'true or false' })
            .optional()
            .describe(
              'Whether the files are kept as runs find and leave them, for `perdure workspace`; true when left out.',
            ),
        },
        section,
      )
      .optional()
      .describe('The folder that runs work in.'),
    store: z
      .strictObject(
        {
          postgres: z
            .string()
            .regex(/^\$\{env\.[A-Za-z_][A-Za-z0-9_]*\}$/, {
              error: 'a reference to a variable of the environment, such as ${env.PERDURE_STORE_URL}',
            })
            .describe('Address of a PostgreSQL database, as a reference: `${env.NAME}`. Never the address itself.'),
          blobs: z
            .strictObject(
              {
                bucket: z
                  .string()
                  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/, { error: 'the name of a bucket' })
                  .describe('A bucket that speaks S3, with conditional writes.'),
                prefix: z
                  .string()
                  .regex(/^[A-Za-z0-9!_.*'()/-]{0,200}$/, { error: 'letters, digits and / of at most 200 characters' })
                  .optional()
                  .describe('Begins the name of each object.'),
                region: filledText.optional().describe('`AWS_REGION`, else us-east-1, when left out.'),
                endpoint: z
                  .string()
                  .regex(/^https?:\/\/[^\s/@]+$/, { error: 'an address such as https://s3.example:9000' })
                  .optional()
                  .describe("Address of a server that is not Amazon's."),
                above_kb: z
                  .int({ error: 'a whole number of kilobytes from 1' })
                  .min(1, { error: 'a whole number of kilobytes from 1' })
                  .optional()
                  .describe('Values of more kilobytes go there; 256 when left out.'),
              },
              { error: 'a map with bucket' },
            )
            .optional()
            .describe('Where large values are kept instead of the database.'),
        },
        { error: 'a map with postgres' },
      )
      .optional()
      .describe('Where values, journal, records and logs are kept, when that is not the state folder.'),
    telemetry: z
      .strictObject(
        {
          otlp: z
            .string()
            .regex(/^\$\{env\.[A-Za-z_][A-Za-z0-9_]*\}$/, {
              error: 'a reference to a variable of the environment, such as ${env.OTEL_EXPORTER_OTLP_ENDPOINT}',
            })
            .optional()
            .describe('Address of a receiver of OpenTelemetry (OTLP over HTTP), as a reference: `${env.NAME}`.'),
          content: z
            .boolean({ error: 'true or false' })
            .optional()
            .describe('Whether traces hold prompts, answers and what tools gave; false when left out.'),
        },
        section,
      )
      .optional()
      .describe('Where traces and metrics go; nowhere when left out, unless OTEL_EXPORTER_OTLP_ENDPOINT is set.'),
    task_queue: z
      .string({ error: 'a text' })
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, { error: 'a name of letters, digits, `.`, `_`, `-`' })
      .optional()
      .describe('Task queue of this project; made from the store when left out.'),
  })
  .describe('The configuration of a project.');

export type Config = z.infer<typeof configSchema>;

const UNSUPPORTED = new Set(['generated_workers_dir']);

/** Keys whose values, and all below them, are in no message. */
const SECRETS = new Set([
  'key',
  'env',
  'headers',
  'webhook',
  'secret',
  'slack',
  'teams',
  'email',
  'keys',
  'postgres',
  'otlp',
]);

export interface LoadedConfig {
  config: Config;
  problems: Problem[];
  sources: Map<string, string>;
}

/**
 * The project's configuration: `perdure.yml`, and `.glee/config.yml` for what it does not say. Problems leave it empty.
 */
export function loadConfig(project: Project, cwd: string = project.root): LoadedConfig {
  const { problems, report } = createReport();
  const sources = new Map<string, string>();
  const read = (file: string, unknownKeys: 'error' | 'warning', told: Report = report): Config =>
    checkConfigFile({ file, cwd, unknownKeys, report: told, sources });
  const glee = join(project.root, '.glee', 'config.yml');
  const own = project.configFile === null ? {} : read(project.configFile, 'error');
  const unread = createUnread(report);
  const supply = kindOf(glee) === 'missing' ? {} : read(glee, 'warning', unread.report);
  unread.tell();
  // both are checked, and maps merge to maps of the same keys
  return { config: supplement(own as Json, supply as Json) as Config, problems: sortProblems(problems), sources };
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
  const source = readSource(file, cwd, report);
  if (source === null) return {};
  sources.set(source.file, source.text);
  // A file of comments alone says nothing, and may.
  if (source.text.replace(/#.*$/gm, '').trim() === '') return {};
  const watch: Report = (finding) => {
    // A key in the place of a reference: the line is not shown either (I13).
    if (finding.at.path.split('.').some((part) => SECRETS.has(part))) sources.delete(source.file);
    report(finding);
  };
  return readConfig(parseYaml({ source, start: 0, end: source.text.length }, watch), watch, unknownKeys);
}

function readConfig(node: Node | null, report: Report, unknownKeys: 'error' | 'warning'): Config {
  const ours = node && unknownKeys === 'warning' ? fromGlee(node, report) : node;
  if (ours !== null) warnOfNearSettings(ours, report);
  return (
    (ours &&
      check(configSchema, ours, {
        report,
        unknownKeys,
        secrets: SECRETS,
        unsupported: unknownKeys === 'error' ? UNSUPPORTED : new Set(),
      })) ??
    {}
  );
}

/** What the first does not say, the second does, key by key. */
function supplement(own: Json | undefined, supply: Json | undefined): Json {
  if (own === undefined) return supply ?? null;
  if (!isObject(own) || !isObject(supply)) return own;
  return Object.fromEntries(
    [...new Set([...Object.keys(own), ...Object.keys(supply)])].map((key) => [
      key,
      supplement(ownOf(own, key), ownOf(supply, key)),
    ]),
  );
}
