import type { Json, JsonObject } from '../../../plan/values/json.js';
import { literalText } from '../../../plan/values/expression.js';
import { keyOf, memberOf } from '../../text/node.js';
import type { ShellReference } from '../shared/into-shell.js';
import { intoShell } from '../shared/into-shell.js';
import { variableOf } from '../shared/names.js';
import { freeInput } from './inputs.js';
import type { Found, Site } from './references.js';
import { AS_IT_IS, findReferences, meaningOf } from './references.js';
import type { Task } from './step-parts.js';
import { limitsOf, siteOf, stepWith } from './step-parts.js';
import { valueTemplate } from './values.js';

/** Variables that Archon puts into the text; all others it hands over in the environment. */
const IN_TEXT = ['ARTIFACTS_DIR', 'STATE_DIR', 'BASE_BRANCH', 'DOCS_DIR', 'WORKFLOW_ID'];
const IN_ENVIRONMENT = ['ARGUMENTS', 'USER_MESSAGE', 'CONTEXT', 'EXTERNAL_CONTEXT', 'ISSUE_CONTEXT'];
const OF_ROUNDS = ['LOOP_USER_INPUT', 'REJECTION_REASON', 'LOOP_PREV_OUTPUT'];

/** A node that runs a script of bash. */
export function bashSteps(task: Task): JsonObject[] | null {
  const command = bashCommand(task.node.said.bash ?? '', siteOf(task, ['bash']), `${task.node.id}.bash`);
  return command && [stepWith(task, { ...command, ...schemaOfOutput(task), ...limitsOf(task) })];
}

/** A script of bash as a command that gets its values in the environment; null when it is refused. */
export function bashCommand(script: string, site: Site, key: string): JsonObject | null {
  const { translation, node } = site;
  const env: Record<string, string> = {};
  const references: ShellReference[] = [];
  let sound = true;
  for (const found of findReferences(script)) {
    const isText = found.kind === 'variable' && IN_TEXT.includes(found.name);
    if (found.kind === 'variable' && !isText) continue;
    const meaning = meaningOf(found, site);
    if (meaning === null) sound = false;
    if (meaning === null || meaning === AS_IT_IS) continue;
    const variable = isText ? found.name : variableFor(found);
    env[variable] = meaning;
    references.push({ start: found.start, end: found.end, variable, foreign: !isText, own: isText });
  }
  if (!sound) return null;
  Object.assign(env, environmentOf(script, site));
  const text = intoShell(script, references);
  if ('refused' in text) {
    const { start, end, variable } = text.refused;
    translation.report({
      code: 'invalid-value',
      at: site.placeOf(start, end - start),
      message: `\`${script.slice(start, end)}\` cannot be put here: ${text.why}.`,
      suggestion: `write \`export ${variable}=${script.slice(start, end)}\` before, and read the variable there`,
    });
    return null;
  }
  for (const { start, end } of text.inDoubleQuotes.filter(({ foreign }) => foreign))
    translation.losses.changed(
      key,
      site.placeOf(start, end - start),
      'inside double quotes Archon adds single quotes around a value; here the value stands alone',
    );
  for (const { start, end } of text.inArithmetic)
    translation.losses.changed(
      key,
      site.placeOf(start, end - start),
      'arithmetic of bash runs what a text names: here the value must be a whole number there',
    );
  translation.losses.changed(
    'bash',
    keyOf(node.at, node.kind),
    'commands see PATH, HOME, LANG, TZ, TMPDIR and what stands under `env`, and nothing else of the environment',
  );
  return {
    command: ['bash', '-c', literalText(inFolder(text.script, env))],
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}

/** A script that goes elsewhere needs paths from the root. */
function inFolder(script: string, env: Record<string, string>): string {
  if (!/\b(?:cd|pushd)\b/.test(script)) return script;
  const folders = ['ARTIFACTS_DIR', 'STATE_DIR'].filter((name) => name in env);
  return [...folders.map((name) => `${name}="$PWD/$${name}"`), script].join('\n');
}

function variableFor({ kind, name, field }: Found): string {
  const words = [
    ...(kind === 'last' ? ['last'] : kind === 'input' ? ['inputs'] : []),
    name,
    ...(field === null ? [] : [field]),
  ];
  // Never one that programs know.
  return kind === 'input' ? variableOf(...words) : variableOf('node', ...words);
}

/** Variables that a script may read from its environment. */
function environmentOf(script: string, site: Site): Record<string, string> {
  const { translation, variables = {} } = site;
  const env: Record<string, string> = {};
  const reads = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(script);
  for (const name of IN_ENVIRONMENT.filter(reads)) {
    const meaning = meaningOf({ start: 0, end: 0, kind: 'variable', name, field: null }, site);
    if (typeof meaning === 'string') env[name] = meaning;
  }
  for (const name of OF_ROUNDS.filter(reads)) {
    const expression = variables[name as 'LOOP_USER_INPUT' | 'REJECTION_REASON' | 'LOOP_PREV_OUTPUT'];
    env[name] = expression === undefined ? '' : `\${${expression}}`;
  }
  for (const name of Object.keys(translation.said.inputs ?? {})) {
    const variable = variableOf('inputs', name);
    if (reads(variable)) env[variable] = `\${${freeInput(name, translation)}}`;
  }
  return env;
}

/** Output whose fields, or whose number, somebody reads is parsed as JSON. */
function schemaOfOutput({ node, translation }: Pick<Task, 'node' | 'translation'>): JsonObject {
  switch (translation.shapes.get(node.id)?.kind) {
    case 'json':
      return { schema: { type: 'object' } };
    case 'number':
      return { schema: { type: 'number' } };
    case 'list':
      return { schema: { type: 'array' } };
    default:
      return {};
  }
}

const EXTENSIONS = { bun: ['.ts', '.js'], uv: ['.py'] } as const;

/** A node that runs a script in TypeScript, JavaScript or Python. */
export function scriptSteps(task: Task): JsonObject[] | null {
  const { node, translation } = task;
  const { script = '', runtime, deps = [] } = node.said;
  if (runtime === undefined) {
    const at = keyOf(node.at, 'script');
    translation.report({
      code: 'missing-key',
      at,
      message: `Expected \`runtime\` of the script \`${node.id}\`: bun or uv.`,
    });
    return null;
  }
  const isInline = /[\s;(){}&|<>$`"']/.test(script);
  const file = isInline ? null : translation.resources.script(script, EXTENSIONS[runtime]);
  if (!isInline && file === null) {
    const at = memberOf(node.at, 'script') ?? node.at;
    const message = `There is no script \`${script}\` (${EXTENSIONS[runtime].join(', ')}) in \`.archon/scripts/\`.`;
    translation.report({ code: 'unreadable-file', at, message });
    return null;
  }
  const env = environmentOfScript(task, script);
  if (env === null) return null;
  const extra = runtime === 'uv' ? deps.flatMap((dep) => ['--with', dep]) : [];
  const program = runtime === 'uv' ? ['uv', 'run', ...extra] : ['bun', '--no-env-file'];
  const code = runtime === 'uv' ? ['python', '-c', script] : ['-e', script];
  const command = [...program, ...(file === null ? code : [...(runtime === 'uv' ? [] : ['run']), file])].map(
    literalText,
  );
  return [
    stepWith(task, {
      command,
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...schemaOfOutput(task),
      ...limitsOf(task),
    }),
  ];
}

/** What a script reads from its environment; null when a value would have to become code, or means nothing. */
function environmentOfScript(task: Task, script: string): Record<string, Json & string> | null {
  const site = siteOf(task, ['script']);
  const spliced = findReferences(script).find(({ kind, name }) => kind !== 'variable' || IN_TEXT.includes(name));
  if (spliced !== undefined) {
    const written = script.slice(spliced.start, spliced.end);
    const bun = task.node.said.runtime === 'bun';
    const name = variableFor(spliced);
    task.translation.report({
      code: 'invalid-value',
      at: site.placeOf(spliced.start, spliced.end - spliced.start),
      message: `\`${written}\` would be put into the code of a program, which would run whatever it holds.`,
      suggestion:
        `write \`with: {${name.toLowerCase()}: ${written}}\` at the node and read ` +
        `\`${bun ? `process.env.INPUTS_${name}` : `os.environ["INPUTS_${name}"]`}\``,
    });
    return null;
  }
  const env = environmentOf(script, site);
  for (const name of Object.keys(task.node.said.with ?? {})) {
    const value = valueTemplate(task, ['with', name]);
    if (value === undefined) return null;
    env[variableOf('inputs', name)] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return env;
}
