import type { Json, JsonObject } from '../../../plan/values/json.js';
import type { Report } from '../../problems/problem.js';
import { check } from '../../text/check.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf, placesIn } from '../../text/node.js';
import { writtenText } from '../../text/written-number.js';
import type { ShellReference } from '../shared/into-shell.js';
import { intoShell } from '../shared/into-shell.js';
import type { Losses, WrittenFile } from '../shared/loss.js';
import { sentencesOf } from '../shared/loss.js';
import { slug, variableOf } from '../shared/names.js';
import { piecesOf, translated } from '../shared/template-text.js';
import { writeYaml } from '../shared/write-yaml.js';
import { literalText } from '../../../plan/values/expression.js';
import type { GooseParameter, GooseRecipe } from './schema.js';
import { gooseRecipe } from './schema.js';
import { ownOf } from '../../../plan/values/own.js';

interface Recipe {
  said: GooseRecipe;
  at: Node;
  name: string;
  report: Report;
  losses: Losses;
}

/** A recipe of goose as a workflow with one agent; null when something in it is refused, which is reported. */
export function importRecipe(
  document: Node,
  { report, losses }: Pick<Recipe, 'report' | 'losses'>,
): { name: string; files: WrittenFile[] } | null {
  const at = memberOf(document, 'recipe') ?? document;
  const said = check(gooseRecipe, at, { report });
  if (said === null) return null;
  const recipe: Recipe = { said, at, name: slug(said.title.toLowerCase(), 'recipe'), report, losses };
  if ((said.sub_recipes ?? []).length > 0) {
    report({
      code: 'unsupported-key',
      at: keyOf(at, 'sub_recipes'),
      message: 'A model that starts recipes by itself (`sub_recipes`) cannot be carried over.',
      suggestion: 'import each recipe, and nest them as steps: `workflow: ./name.yml`',
    });
    return null;
  }
  const instructions = textAt('instructions', recipe);
  const prompt = said.prompt === undefined ? '${request}' : textAt('prompt', recipe);
  const checks = checksOf(recipe);
  if (instructions === null || prompt === null || checks === null) return null;
  nameLost(recipe);
  return filesOf(recipe, { instructions, prompt, checks });
}

function filesOf(
  recipe: Recipe,
  { instructions, prompt, checks }: { instructions: string; prompt: string; checks: JsonObject[] },
): { name: string; files: WrittenFile[] } {
  const { said, at, name, losses } = recipe;
  const hasValues = instructions.replaceAll('\\${', '').includes('${');
  const agent = agentOf(recipe, hasValues || instructions.trim() === '' ? USUAL_PROMPT : instructions);
  const parts = [hasValues ? instructions.trim() : '', prompt.trim()].filter((part) => part !== '');
  const schema = said.response?.json_schema;
  const step = {
    id: 'work',
    agent: name,
    prompt: `${parts.join('\n\n')}\n`,
    ...(schema === undefined ? {} : { schema }),
    timeout: '60m',
  };
  const description = said.description?.trim() ?? '';
  const workflow = {
    name,
    ...(description === '' ? {} : { description }),
    ...inputsOf(recipe),
    budgets: { max_runtime_mins: 1_440 },
    steps: [checks.length === 0 ? step : withChecks(step, checks, recipe)],
    output: checks.length === 0 ? '${steps.work.output}' : '${steps.tried.output}',
  };
  const from = at.source.file;
  const head = [`Imported from ${from}, a recipe of goose.`, ...sentencesOf(losses)];
  return {
    name,
    files: [
      { path: `workflows/${name}.yml`, text: writeYaml(workflow, head) },
      { path: `agents/${name}.yml`, text: writeYaml(agent, [`Imported from ${from}.`]) },
    ],
  };
}

const USUAL_PROMPT = 'You do what you are asked to, and say what you have done.';

/** The text under a key in our words; empty where there is none. */
function textAt(key: 'instructions' | 'prompt', { said, at, report }: Recipe): string | null {
  const node = memberOf(at, key);
  const text = said[key] ?? '';
  if (node === null) return '';
  const place = placesIn(node);
  return translated(
    text,
    ({ text: name, start, end }) => {
      if (isParameter(name, said)) return name;
      report({
        code: 'unknown-variable',
        at: place(start, end - start),
        message: `Expected the name of a parameter, got \`{{ ${name} }}\`.`,
        suggestion: names(said),
      });
      return null;
    },
    ({ text: statement, start, end }) =>
      report({
        code: 'unsupported-key',
        at: place(start, end - start),
        message: `Statements in texts (\`{% ${statement.slice(0, 40)} %}\`) cannot be carried over.`,
        suggestion: 'write the text without it',
      }),
  );
}

function isParameter(name: string, { parameters }: GooseRecipe): boolean {
  return (parameters ?? []).some(({ key }) => key === name);
}

function names({ parameters }: GooseRecipe): string {
  const known = (parameters ?? []).map(({ key }) => `\`${key}\``);
  return known.length === 0 ? 'declare it under `parameters`' : `there are ${known.join(', ')}`;
}

const TYPES: Record<string, string> = { string: 'string', number: 'number', boolean: 'boolean' };

function inputsOf({ said, at, losses }: Recipe): JsonObject {
  const written = memberOf(at, 'parameters')?.items ?? [];
  const parameters = (said.parameters ?? []).map((parameter, index): [string, JsonObject] => {
    const one = written[index];
    const preset = one === undefined ? null : memberOf(one, 'default');
    const { key, input_type: type = 'string', description, options, requirement } = parameter;
    if (type === 'file')
      losses.changed(`parameters.${key}`, keyOf(at, 'parameters'), 'it is the text of the file itself, not its name');
    if (options !== undefined)
      losses.changed(`parameters.${key}.options`, keyOf(at, 'parameters'), 'other values are taken too');
    if (requirement === 'user_prompt')
      losses.harmless(`parameters.${key}.requirement`, keyOf(at, 'parameters'), 'it is asked for where it is missing');
    const told = [description ?? '', options === undefined ? '' : `One of ${options.join(', ')}.`]
      .filter((part) => part !== '')
      .join(' ');
    return [
      key,
      {
        type: ownOf(TYPES, type) ?? 'string',
        ...defaultOf(parameter, preset),
        ...(told === '' ? {} : { description: told }),
      },
    ];
  });
  const request: [string, JsonObject][] =
    said.prompt === undefined ? [['request', { type: 'string', description: 'What is asked for.' }]] : [];
  const all = [...parameters, ...request];
  return all.length === 0 ? {} : { inputs: Object.fromEntries(all) };
}

function defaultOf(
  { requirement, input_type: type, default: otherwise }: GooseParameter,
  at: Node | null,
): { default?: Json } {
  if (otherwise === undefined || at === null) return requirement === 'optional' ? { default: '' } : {};
  if (
    type === 'number' &&
    typeof otherwise === 'string' &&
    otherwise.trim() !== '' &&
    Number.isFinite(Number(otherwise))
  )
    return { default: Number(otherwise) };
  if (type === 'boolean' && typeof otherwise === 'string') return { default: otherwise === 'true' };
  return {
    default: (ownOf(TYPES, type ?? 'string') ?? 'string') === 'string' ? writtenText(at) : otherwise,
  };
}

const DEVELOPER = ['Read', 'Grep', 'Glob', 'Edit', 'Write', 'Bash'];

function agentOf({ said, name }: Recipe, prompt: string): JsonObject {
  const { settings, extensions } = said;
  const hasDeveloper = extensions == null || extensions.some(({ name: extension }) => extension === 'developer');
  const model = modelOf(settings?.goose_provider ?? null, settings?.goose_model ?? null);
  return {
    name,
    description: `Does the recipe ${said.title}.`,
    ...(model === null ? {} : { model }),
    tools: hasDeveloper ? DEVELOPER : [],
    max_turns: settings?.max_turns ?? 100,
    prompt: `${prompt.trim()}\n`,
  };
}

function modelOf(provider: string | null, model: string | null): string | null {
  if (model === null) return null;
  if (model.startsWith('claude')) return model;
  return provider === 'ollama' || provider === 'openai' ? `${provider}:${model}` : null;
}

function nameLost({ said, at, losses }: Recipe): void {
  for (const { name = '', type = '' } of said.extensions ?? [])
    if (name !== 'developer')
      losses.changed(
        `extensions.${name}`,
        keyOf(at, 'extensions'),
        `the ${type} extension is a server: name it under \`mcp\` of perdure.yml, and its tools in the agent`,
      );
  nameSettings(said.settings ?? {}, at, losses);
  for (const key of ['version', 'activities', 'author'] as const)
    if (said[key] !== undefined) losses.harmless(key, keyOf(at, key), 'nothing reads it here');
  for (const [key, { key: place }] of at.members ?? [])
    if (!Object.hasOwn(gooseRecipe.shape, key)) losses.changed(key, place, 'it is not known here');
}

function nameSettings(settings: NonNullable<GooseRecipe['settings']>, at: Node, losses: Losses): void {
  const { goose_model: model = null, goose_provider: provider = null, temperature = null } = settings;
  const place = keyOf(at, 'settings');
  if (model !== null && modelOf(provider, model) === null)
    losses.changed('settings.goose_model', place, `\`${model}\` is not known here: the default model answers`);
  if (temperature !== null) losses.changed('settings.temperature', place, 'models have no temperature here');
}

/** A command of the shell as a step. */
function shellStep(id: string, node: Node, timeout: number, { said, report }: Recipe): JsonObject | null {
  const script = String(node.value);
  const place = placesIn(node);
  const env: JsonObject = {};
  const references = piecesOf(script).flatMap(({ kind, text, start, end }): ShellReference[] => {
    if (kind === 'text') return [];
    const variable = variableOf('parameter', text);
    if (kind === 'value' && isParameter(text, said)) env[variable] = `\${${text}}`;
    else
      report({
        code: 'unknown-variable',
        at: place(start, end - start),
        message: `Expected the name of a parameter, got \`${text}\`.`,
        suggestion: names(said),
      });
    return [{ start, end, variable, foreign: true }];
  });
  if (references.some(({ variable }) => !Object.hasOwn(env, variable))) return null;
  const written = intoShell(script, references);
  if ('refused' in written) {
    const { start, end } = written.refused;
    report({
      code: 'invalid-value',
      at: place(start, end - start),
      message: `A parameter cannot be put here: ${written.why}.`,
    });
    return null;
  }
  return {
    id,
    command: ['sh', '-c', literalText(written.script)],
    ...(Object.keys(env).length === 0 ? {} : { env }),
    on_error: 'continue',
    timeout: `${Math.ceil(timeout)}s`,
  };
}

/** The checks of a recipe, then what is done when one has failed; null when one is refused. */
function checksOf(recipe: Recipe): JsonObject[] | null {
  const { retry } = recipe.said;
  const at = memberOf(recipe.at, 'retry');
  if (retry === undefined || at === null) return [];
  const list = memberOf(at, 'checks')?.items ?? [];
  const checks = list.map((item, index) =>
    shellStep(`check-${index + 1}`, memberOf(item, 'command') ?? item, retry.timeout_seconds ?? 300, recipe),
  );
  const cleanup = memberOf(at, 'on_failure');
  const failed = retry.checks.map((_, index) => `steps.check-${index + 1}.status != 'success'`).join(' || ');
  const after =
    cleanup === null ? [] : [shellStep('clean-up', cleanup, retry.on_failure_timeout_seconds ?? 600, recipe)];
  const all = [...checks, ...after.map((step) => step && { ...step, when: `\${${failed}}` })];
  return all.some((step) => step === null) ? null : all.filter((step) => step !== null);
}

function withChecks(step: JsonObject, checks: JsonObject[], { said }: Recipe): JsonObject {
  const passed = (said.retry?.checks ?? [])
    .map((_, index) => `steps.check-${index + 1}.status == 'success'`)
    .join(' && ');
  return {
    id: 'tried',
    loop: { until: `\${${passed}}`, max: (said.retry?.max_retries ?? 0) + 1 },
    yields: '${steps.work.output}',
    steps: [step, ...checks],
  };
}
