import type { JsonObject } from '../../../plan/values/json.js';
import { literalText } from '../../../plan/values/expression.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf } from '../../text/node.js';
import { playerOf, schemaOf } from './agents.js';
import { nestedStep } from './nested-step.js';
import type { ConductorNode } from './nodes.js';
import { valueOf } from './nodes.js';
import { questionsStep } from './questions-step.js';
import type { Conductor } from './references.js';
import type { Region } from './regions.js';
import type { ConductorAgent } from './schema.js';
import { listOf, siteAt, template, valueAt } from './write-expression.js';

/** A node on its way into a step. */
export interface Task {
  node: ConductorNode;
  region: Region;
  conductor: Conductor;
  agents: Map<string, JsonObject>;
}

/** What a node does, without its id and when it runs; null when something in it is refused, which is reported. */
export function actionOf(task: Task): JsonObject | null {
  const { does } = task.node;
  switch (does.kind) {
    case 'parallel':
      return null;
    case 'for_each':
      return eachStep(task, does.said);
    case 'agent':
      return agentStep(task, does.said, { name: task.node.name, at: task.node.at });
    case 'human_gate':
      return gateStep(task, does.said);
    case 'script':
      return scriptStep(task, does.said);
    case 'set':
      return setStep(task, does.said);
    case 'wait':
      return waitStep(task, does.said);
    case 'terminate':
      return terminateStep(task, does.said);
    case 'workflow':
      return nestedStep(does.said, task.node, task);
    case 'questions':
      return questionsStep(does.said, task.node, task);
  }
}

function refused({ node: { at }, conductor }: Task, message: string, suggestion: string): null {
  conductor.report({ code: 'unsupported-key', at: memberOf(at, 'type') ?? at, message, suggestion });
  return null;
}

function missing({ node, conductor }: Task, key: string): null {
  const message = `Expected \`${key}\` at \`${node.name}\`.`;
  conductor.report({ code: 'missing-key', at: keyOf(node.at, 'name'), message });
  return null;
}

/** The text under a key in our words; empty where there is none. */
function textAt(task: Task, at: Node, key: string, item?: string): string | null {
  const place = memberOf(at, key);
  if (place === null || typeof place.value !== 'string') return '';
  const { region, node, conductor } = task;
  const site = siteAt({ region, node, conductor, ...(item === undefined ? {} : { item }) }, place);
  return template(place.value, site, `${node.name}.${key}`);
}

interface Holder {
  name: string;
  at: Node;
  item?: string;
}

function agentStep(task: Task, said: ConductorAgent, { name, at, item }: Holder): JsonObject | null {
  const system = said.system_prompt?.includes('{{') ? textAt(task, at, 'system_prompt', item) : '';
  const prompt = textAt(task, at, 'prompt', item);
  if (system === null || prompt === null) return null;
  const text = [system, prompt].filter((part) => part.trim() !== '').join('\n\n');
  const seconds = said.timeout_seconds ?? said.max_session_seconds ?? 3_600;
  return {
    ...playerOf({ name, said, at }, task.agents, task.conductor),
    prompt: text.trim() === '' ? 'Do your part.' : `${text.trimEnd()}\n`,
    ...schemaOf(said),
    ...retryOf(said),
    timeout: secondsOf(seconds),
  };
}

function retryOf({ retry }: ConductorAgent): JsonObject {
  const attempts = retry?.max_attempts ?? 1;
  if (attempts < 2) return {};
  return { retry: { attempts, backoff: secondsOf(Math.max(retry?.delay_seconds ?? 2, 0.001)) } };
}

/** Seconds as a duration is written. */
function secondsOf(seconds: number): string {
  const milliseconds = Math.max(1, Math.round(seconds * 1_000));
  if (milliseconds % 60_000 === 0) return `${milliseconds / 60_000}m`;
  return milliseconds % 1_000 === 0 ? `${milliseconds / 1_000}s` : `${milliseconds}ms`;
}

function gateStep(task: Task, { options, description }: ConductorAgent): JsonObject | null {
  const { node, conductor } = task;
  const prompt = textAt(task, node.at, 'prompt');
  if (options === undefined) return missing(task, 'options');
  if (prompt === null) return null;
  if (options.some(({ prompt_for: asks }) => asks !== undefined))
    conductor.losses.changed(
      `${node.name}.options.prompt_for`,
      keyOf(node.at, 'options'),
      'what is said with a choice is its comment: `perdure approve --option … --comment …`',
    );
  const told = options.flatMap((option) => {
    const text = [option.label, option.description].filter((part) => part !== undefined && part !== valueOf(option));
    return text.length === 0 ? [] : [`${valueOf(option)}: ${text.join(' — ')}`];
  });
  const message = [prompt.trim() || (description ?? '').trim() || 'What next?', literalText(told.join('\n'))];
  return {
    approval: message.filter((part) => part !== '').join('\n\n'),
    options: [...new Set(options.map((option) => valueOf(option)))],
  };
}

/** Tells how the program has ended in a last line, since a program that fails is no failure in conductor. */
const TELLING = '"$@"\nprintf \'\\n[exit code %s]\' "$?"\n';

function scriptStep(task: Task, said: ConductorAgent): JsonObject | null {
  const { node, region, conductor } = task;
  const { command, args = [], env = {}, working_dir: folder = null, stdin = null, timeout } = said;
  if (command === undefined) return missing(task, 'command');
  if (!isWrittenOut(task, command, folder)) return null;
  const places = memberOf(node.at, 'args')?.items ?? [];
  const words = args.map((arg, index) =>
    template(arg, siteAt({ region, node, conductor }, places[index] ?? node.at), `${node.name}.args`),
  );
  const input = textAt(task, node.at, 'stdin');
  if (input === null || words.includes(null)) return null;
  const variables = Object.entries(env).map(([key, value]) => [key, literalText(value)]);
  return {
    ...commandOf(task, said, [literalText(command), ...words.map(String)]),
    ...(variables.length === 0 ? {} : { env: Object.fromEntries(variables) as JsonObject }),
    ...(folder === null ? {} : { cwd: folder }),
    ...(stdin === null ? {} : { stdin: input }),
    timeout: secondsOf(timeout ?? 3_600),
  };
}

/** Whether people see what a step would run, and where, before it does. */
function isWrittenOut({ node, conductor }: Task, command: string, folder: string | null): boolean {
  const refuse = (key: string, message: string, suggestion: string): boolean => {
    conductor.report({ code: 'invalid-value', at: memberOf(node.at, key) ?? node.at, message, suggestion });
    return false;
  };
  if (/\{[{%]/.test(command))
    return refuse('command', 'The program of a step is written out.', 'put the value into `args`');
  if (folder !== null && (/\{[{%]/.test(folder) || /^[/~]|\.\./.test(folder)))
    return refuse('working_dir', 'A program works in a folder of the project that is written out.', 'write `src`');
  return true;
}

function commandOf({ node, conductor }: Task, said: ConductorAgent, program: string[]): JsonObject {
  const isJson = readsFields(node, conductor) || typeof said.output === 'object';
  conductor.losses.changed(
    `${node.name}.command`,
    keyOf(node.at, 'command'),
    isJson
      ? 'its output is read as JSON, and a program that fails ends the run'
      : 'how it ends stands in the last line of its output',
  );
  if (!isJson) return { command: ['bash', '-c', TELLING, 'script', ...program] };
  return { command: program, ...(said.output == null ? { schema: { type: 'object' } } : schemaOf(said)) };
}

const OF_PROGRAMS = ['stdout', 'stderr', 'exit_code'];

/** Whether anything reads a field of the JSON that a program writes. */
function readsFields({ name, routes }: ConductorNode, { at }: Conductor): boolean {
  const path = new RegExp(`\\b${name.replace(/\W/g, '\\$&')}\\.output\\.(\\w+)`, 'g');
  const read = [...JSON.stringify(at.value).matchAll(path)].map(([, field = '']) => field);
  const own = routes.flatMap(({ when }) => (when !== null && 'text' in when ? ownFieldsIn(when.text) : []));
  return [...read, ...own].some((field) => !OF_PROGRAMS.includes(field));
}

/** The fields of its own output that a condition of a node reads: `output.x`, or `x` alone. */
function ownFieldsIn(text: string): string[] {
  const bare = text.replace(/'[^']*'|"[^"]*"/g, '');
  const words = [...bare.matchAll(/(?<![\w.])([A-Za-z_][\w.]*)/g)].map(([, word = '']) => word.split('.'));
  return words.flatMap(([first = '', second]) => {
    if (first === 'output') return second ?? [];
    return second === undefined && !/^(?:and|or|not|in|is|true|false|none|defined)$/i.test(first) ? first : [];
  });
}

function setStep(task: Task, { value, values }: ConductorAgent): JsonObject | null {
  const { node, region, conductor } = task;
  const site = { node, region, conductor };
  if (value === undefined && values === undefined) return missing(task, 'values');
  const holder = memberOf(node.at, 'values');
  const places: [string, Node | null][] =
    values === undefined
      ? [['value', memberOf(node.at, 'value')]]
      : Object.keys(values).map((name) => [name, holder && memberOf(holder, name)]);
  const written = places.map(([name, place]) => [name, place && valueAt(place, site, `${node.name}.${name}`)] as const);
  if (written.some(([, one]) => one === undefined)) return null;
  return { set: Object.fromEntries(written.map(([name, one]) => [name, one ?? null])) };
}

function waitStep(task: Task, { duration }: ConductorAgent): JsonObject | null {
  const { node, conductor } = task;
  if (duration === undefined) return missing(task, 'duration');
  const [, amount, unit = ''] = /^\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|h)?\s*$/.exec(String(duration)) ?? [];
  if (amount !== undefined && Number(amount) > 0)
    return { wait: secondsOf(Number(amount) * ({ ms: 0.001, m: 60, h: 3_600 }[unit] ?? 1)) };
  const message = 'Only a duration that is written out is carried over.';
  const at = memberOf(node.at, 'duration') ?? node.at;
  conductor.report({ code: 'invalid-value', at, message, suggestion: 'write one, such as `60s`' });
  return null;
}

function terminateStep(task: Task, { status }: ConductorAgent): JsonObject | null {
  const { node, conductor } = task;
  const reason = textAt(task, node.at, 'reason');
  if (reason === null) return null;
  if (memberOf(node.at, 'output_template') !== null)
    conductor.losses.changed(
      `${node.name}.output_template`,
      keyOf(node.at, 'output_template'),
      'the output is that of the workflow',
    );
  const message = reason.trim() || 'It was terminated.';
  return status === 'failed' ? { set: { message }, require: false } : { set: { message } };
}

type Each = Extract<ConductorNode['does'], { kind: 'for_each' }>['said'];

const MODES = { fail_fast: 'stop', continue_on_error: 'continue', all_or_nothing: 'skip_dependents' } as const;

function eachStep(task: Task, group: Each): JsonObject | null {
  const { node, region, conductor } = task;
  const at = memberOf(node.at, 'agent');
  const source = memberOf(node.at, 'source');
  if (at === null || source === null) return null;
  const items = listOf(group.source, siteAt({ node, region, conductor }, source));
  const inner = group.agent.type ?? 'agent';
  if (inner !== 'agent' && inner !== 'workflow')
    return refused(task, `\`${inner}\` in a \`for_each\` is not carried over.`, 'use an agent');
  if (group.key_by != null)
    conductor.losses.changed(`${node.name}.key_by`, keyOf(node.at, 'key_by'), 'the outputs are a list, without keys');
  const holder = { name: group.agent.name ?? node.name, at, item: group.as };
  const does =
    inner === 'workflow'
      ? nestedStep(group.agent, holder, { node, region, conductor, item: group.as })
      : agentStep(task, group.agent, holder);
  if (items === null || does === null) return null;
  return {
    foreach: { items, max_parallel: Math.min(group.max_concurrent ?? 10, 100) },
    ...does,
    on_error: MODES[group.failure_mode ?? 'fail_fast'],
  };
}
