import { dirname, join } from 'node:path';
import type { Json, JsonObject } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import { literalText } from '../../../plan/values/expression.js';
import { parseFrontMatter } from '../../formats/agent/front-matter.js';
import type { Report } from '../../problems/problem.js';
import type { Source } from '../../problems/source.js';
import { stemOf } from '../../problems/source.js';
import { readSource } from '../../text/read-source.js';
import type { Node } from '../../text/node.js';
import { memberOf, startOf } from '../../text/node.js';
import type { Losses, WrittenFile } from '../shared/loss.js';
import { sentencesOf } from '../shared/loss.js';
import { slug } from '../shared/names.js';
import { writeYaml } from '../shared/write-yaml.js';
import { ownOf } from '../../../plan/values/own.js';

/** Markdown with front matter in two parts. */
export interface Page {
  source: Source;
  head: Node;
  body: string;
  /** Where the body begins in the file. */
  start: number;
}

interface Importing {
  page: Page;
  cwd: string;
  report: Report;
  losses: Losses;
  sources: Map<string, string>;
}

/** The parts of a page; null when it has no front matter, or one that cannot be read. */
export function pageOf(source: Source, report: Report): Page | null {
  const opening = /^---[ \t]*\r?\n/.exec(source.text);
  const from = opening?.[0].length ?? 0;
  const closing = /^---[ \t]*$/m.exec(source.text.slice(from));
  if (opening === null || closing === null) return null;
  const end = from + closing.index;
  const head = parseFrontMatter({ source, start: from, end }, report);
  if (head?.members == null) return null;
  const start = end + closing[0].length;
  return { source, head, body: source.text.slice(start), start };
}

/** A GitHub agentic workflow as a workflow with one agent; null when something in it is refused, which is reported. */
export function importAgenticWorkflow(importing: Importing): { name: string; files: WrittenFile[] } | null {
  const { page, report, losses } = importing;
  const { head, source } = page;
  const name = slug(stemOf(source.absolute), 'workflow');
  const inputs = new Map<string, JsonObject>();
  const parts = [...importedTexts(importing), bodyText(page, importing)];
  if (parts.includes(null)) return null;
  const prompt = parts.map((part) => expressionsIn(part ?? '', page, inputs, report));
  if (prompt.includes(null)) return null;
  const text = prompt
    .map((part) => (part ?? '').trim())
    .filter((part) => part !== '')
    .join('\n\n');
  if (text === '') {
    report({
      code: 'missing-key',
      at: startOf(head),
      message: 'Expected instructions below the front matter, got nothing.',
    });
    return null;
  }
  const engine = engineOf(head, losses);
  nameLost(head, losses);
  const tools = toolsOf(head, losses);
  const timeout = memberOf(head, 'timeout-minutes') ?? memberOf(head, 'timeout_minutes');
  const minutes = typeof timeout?.value === 'number' && timeout.value > 0 ? timeout.value : 20;
  const description = memberOf(head, 'description')?.value;
  const workflow = {
    name,
    ...(typeof description === 'string' && description.trim() !== '' ? { description: description.trim() } : {}),
    ...(inputs.size === 0 ? {} : { inputs: Object.fromEntries(inputs) }),
    steps: [{ id: 'work', agent: name, prompt: `${text}\n`, timeout: `${minutes}m` }],
    output: '${steps.work.output}',
  };
  const agent = {
    name,
    description: `Does the agentic workflow ${name}.`,
    ...(engine.model === null ? {} : { model: engine.model }),
    tools,
    ...(engine.program === null ? {} : { agent: engine.program }),
    max_turns: engine.turns ?? 100,
    prompt: 'You work on this repository. You do what you are asked to, and answer with the result itself.\n',
  };
  const comments = [`Imported from ${source.file}, a GitHub agentic workflow.`, ...sentencesOf(losses)];
  return {
    name,
    files: [
      { path: `workflows/${name}.yml`, text: writeYaml(workflow, comments) },
      { path: `agents/${name}.yml`, text: writeYaml(agent, [`Imported from ${source.file}.`]) },
    ],
  };
}

const IMPORT =
  /^[ \t]*(?:\{\{#(?:runtime-)?import(\??):?[ \t]+([^}\s]+)[ \t]*\}\}|@(?:include|import)(\??)[ \t]+(\S+))[ \t]*$/gm;

/** The texts of `imports:`; null stands for one that cannot be read, which is reported. */
function importedTexts(importing: Importing): (string | null)[] {
  const list = memberOf(importing.page.head, 'imports');
  return (list?.items ?? []).map((item) => {
    const path = typeof item.value === 'string' ? item.value : isObject(item.value) ? item.value['path'] : null;
    return typeof path === 'string' ? pageText(path, false, item, importing) : '';
  });
}

/** The text of another page, without its front matter. */
function pageText(
  path: string,
  optional: boolean,
  at: Node,
  { page, cwd, report, losses, sources }: Importing,
): string | null {
  const file = join(dirname(page.source.absolute), path.split('#')[0] ?? path);
  const source = path.includes('@') ? null : readSource(file, cwd, () => undefined);
  if (source === null) {
    if (optional) return '';
    report({
      code: 'unreadable-file',
      at,
      message: `There is no file \`${path}\` beside this one.`,
      suggestion: 'put the file there; those of other repositories are not fetched',
    });
    return null;
  }
  sources.set(source.file, source.text);
  const other = pageOf(source, () => undefined);
  if (other === null) return source.text;
  losses.changed(`imports.${path}`, at, 'its text is put in; what its front matter says is not');
  return other.body;
}

/** The body with what it imports; null when that cannot be read, or a condition stands in it, which is reported. */
function bodyText(page: Page, importing: Importing): string | null {
  let sound = true;
  const text = [...page.body.matchAll(IMPORT)].reduceRight((body, found) => {
    const [whole, a, first, b, second] = found;
    const start = page.start + found.index;
    const at = { ...page.head, start, end: start + whole.length };
    const inserted = pageText(first ?? second ?? '', a === '?' || b === '?', at, importing);
    if (inserted === null) sound = false;
    return body.slice(0, found.index) + (inserted ?? '') + body.slice(found.index + whole.length);
  }, page.body);
  const condition = /\{\{#(?:if|else)[^}]*\}\}/.exec(page.body);
  if (condition !== null) {
    const start = page.start + condition.index;
    importing.report({
      code: 'unsupported-key',
      at: { source: page.source, path: '', start, end: start + condition[0].length },
      message: `A condition in the text (\`${condition[0].slice(0, 50)}\`) cannot be carried over.`,
      suggestion: 'write the text without it, or as two workflows',
    });
    return null;
  }
  return sound ? text : null;
}

/** A text whose expressions of GitHub are inputs; null when it reads a secret, which is reported. */
function expressionsIn(
  text: string,
  { source, start }: Page,
  inputs: Map<string, JsonObject>,
  report: Report,
): string | null {
  let sound = true;
  let written = '';
  let from = 0;
  for (const found of text.matchAll(/\$\{\{\s*([^}]*?)\s*\}\}/g)) {
    const [whole, expression = ''] = found;
    const path = /^[\w.-]+/.exec(expression)?.[0] ?? '';
    written += literalText(text.slice(from, found.index));
    from = found.index + whole.length;
    const name = inputName(path);
    if (path.startsWith('secrets.') || name === '') {
      const at = { source, path: '', start: start + found.index, end: start + found.index + whole.length };
      report({
        code: 'invalid-value',
        at,
        message: `\`${whole.slice(0, 60)}\` cannot be carried over: it is no value that a run is given.`,
      });
      sound = false;
      continue;
    }
    inputs.set(name, { type: 'any', description: `What GitHub gives as \`${path}\`.` });
    written += `\${${name}}`;
  }
  return sound ? written + literalText(text.slice(from)) : null;
}

function inputName(path: string): string {
  const plain = path
    .replace(/^(?:github\.event\.)?inputs\./, '')
    .replace(/^github\.event\./, '')
    .replace(/^(?:needs|steps)\.\w+\.outputs\./, '')
    .replace(/[^A-Za-z0-9]+/g, '_');
  return /^[A-Za-z_]/.test(plain) && !['item', 'index', 'steps', 'rework', 'true', 'false', 'null'].includes(plain)
    ? plain
    : '';
}

interface Engine {
  program: 'codex' | 'gemini' | null;
  model: string | null;
  turns: number | null;
}

function engineOf(head: Node, losses: Losses): Engine {
  const at = memberOf(head, 'engine');
  const said = at?.value ?? 'copilot';
  const settings: JsonObject = isObject(said) ? said : { id: said };
  const id = typeof settings['id'] === 'string' ? settings['id'] : 'copilot';
  const model = typeof settings['model'] === 'string' ? settings['model'] : null;
  const turns = turnsOf(memberOf(head, 'max-turns')?.value ?? settings['max-turns']);
  if (id === 'codex' || id === 'gemini') return { program: id, model, turns };
  const isKnown = id === 'claude';
  if (!isKnown) losses.changed('engine', at ?? startOf(head), `\`${id}\` is not known here: the default model answers`);
  return { program: null, model: isKnown && /^claude|^(?:opus|sonnet|haiku)$/.test(model ?? '') ? model : null, turns };
}

function turnsOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}

const READING = ['Read', 'Grep', 'Glob'];
const KNOWN_TOOLS: Record<string, (value: Json) => string[]> = {
  edit: () => ['Edit', 'Write'],
  'web-fetch': () => ['WebFetch'],
  'web-search': () => ['WebSearch'],
  bash: (value) => {
    const list = Array.isArray(value) ? value.map(String) : null;
    if (list === null) return value === false ? [] : ['Bash'];
    const open = list.some((command) => ['*', ':*'].includes(command));
    return open ? ['Bash'] : list.map((command) => `Bash(${command.replace(/[:\s]*\*$/, '').replace(/[()]/g, '')} *)`);
  },
};

function toolsOf(head: Node, losses: Losses): string[] {
  const at = memberOf(head, 'tools');
  return [
    ...READING,
    ...[...(at?.members ?? [])].flatMap(([key, { key: place, node }]) => {
      const known = ownOf(KNOWN_TOOLS, key);
      if (known !== undefined) return known(node.value);
      losses.changed(
        `tools.${key}`,
        place,
        'it is a server or a service: name it under `mcp` of perdure.yml, and its tools in the agent',
      );
      return [];
    }),
  ];
}

const CARRIED = [
  'description',
  'engine',
  'tools',
  'timeout-minutes',
  'timeout_minutes',
  'max-turns',
  'imports',
  'name',
];
const WHY: Record<string, [why: string, changes: boolean]> = {
  on: ['nothing starts it by itself: `perdure run`, from a schedule or a hook of yours', true],
  'safe-outputs': ['nothing is written to GitHub: the answer is the output, for a step after it', true],
  network: ['what tools reach is for `permissions` of perdure.yml', true],
  permissions: ['what it may do is for `permissions` of perdure.yml', true],
  if: ['it runs whenever it is started', true],
  steps: ['steps of Actions are not run: write them as `command` steps', true],
  'post-steps': ['steps of Actions are not run: write them as `command` steps', true],
  env: ['agents see no variables', true],
  'mcp-servers': ['servers stand under `mcp` of perdure.yml', true],
  'safe-inputs': ['tools of one’s own are files `tool.yml`', true],
  'cache-memory': ['what is kept from run to run is `perdure memory`', true],
  roles: ['whoever can run commands here can start it', true],
  concurrency: ['runs do not wait for each other', true],
  'runs-on': ['it runs here', false],
  'run-name': ['runs have names of their own', false],
  strict: ['it is a check of another compiler', false],
  source: ['nothing reads it here', false],
  labels: ['nothing reads it here', false],
  emoji: ['nothing reads it here', false],
};

function nameLost(head: Node, losses: Losses): void {
  for (const [key, { key: place }] of head.members ?? []) {
    if (CARRIED.includes(key)) continue;
    const [why, changes] = ownOf(WHY, key) ?? ['it is not known here', true];
    (changes ? losses.changed : losses.harmless)(key, place, why);
  }
}
