import { dirname, extname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { Template } from '../../plan/values/expression.js';
import type { Plan } from '../../plan/plan.js';
import type { Agent, InputSpec } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { AgentDefinition } from '../agents/agent-definition.js';
import type { AgentSetting } from '../agents/agent-uses.js';
import { inputTemplate, oneStepPlan } from '../workflow/compile-agent-alone.js';
import type { Shared } from '../workflow/compile-workflow.js';
import { isSmallEnough } from '../workflow/compile-workflow.js';
import { attachmentsOf } from './attachments.js';
import { generatedFolder } from '../project/generated-folder.js';
import type { Texts } from '../hash.js';
import type { Definition, ProjectDefinition } from '../load.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import { kindOf, listFolder } from '../text/disk.js';
import { ofParts } from '../expressions/template.js';
import type { ToolsetScope } from '../agents/toolsets.js';
import { checkToolsets, isToolset } from '../agents/toolsets.js';
import { FILE_COMMANDS } from '../agents/tool-names.js';
import { ownOf } from '../../plan/values/own.js';

/** What compiling a project needs beside what all do. */
interface ProjectContext extends Pick<Shared, 'report' | 'texts' | 'compileAgent'> {
  load: (absolute: string) => Definition | null;
  /** The folder of `perdure.yml`. */
  root: string;
}

/**
 * The Plan of a project: its entry agent, asked once; the other agents are in it for whoever may call them.
 */
export function compileProject(definition: ProjectDefinition, context: ProjectContext): Plan | null {
  let failed = false;
  const report: Report = (finding) => {
    if (finding.severity !== 'warning') failed = true;
    context.report(finding);
  };
  const { authored, node } = definition;
  const { agents, incomplete } = loadAgents(definition, context.load, report);
  const home = homeOf(definition, context.root);
  const scope = scopeOf(definition, { agents, incomplete, home });
  for (const agent of agents.values()) checkToolsets(agent, scope, report);
  // Toolsets of Python say the same of the files.
  if (scope.python && scope.told.size === 0)
    report({
      code: 'python-only',
      severity: 'warning',
      at: keyOf(node, 'python_files'),
      message: 'Perdure runs nothing of `python_files`.',
    });
  // What is missing may be what could not be read: that was reported.
  const whole: Report = (finding) => (incomplete ? (failed = true) : report(finding));
  const entry = entryOf(definition, agents, whole);
  checkOverrides(node, agents, whole);
  const attachments = attachmentsOf(definition, context.texts, report);
  const folder = folderOf(definition, agents, context.root, report);
  const inputs = inputsOf(definition, report);
  if (failed || entry === null) return null;
  const setting = settingOf(authored, agents, { folder, home });
  const others: Record<Hash, Agent> = {};
  for (const agent of agents.values()) {
    const { reached } = context.compileAgent(agent, agent === entry ? Object.keys(attachments.texts) : [], setting);
    Object.assign(others, reached);
  }
  const { hash } = context.compileAgent(entry, Object.keys(attachments.texts), setting);
  const plan = oneStepPlan({
    name: entry.name,
    inputs,
    prompt: promptOf(definition, context.texts),
    stepInputs: attachments.texts,
    attachments: attachments.files,
    agents: others,
    definition: entry,
    hash,
  });
  return isSmallEnough(plan, node, report) ? plan : null;
}

/** What the agents of a project may name as their toolsets; what is wrong with the list of agents is reported. */
export function scopeInProject(
  definition: ProjectDefinition,
  { load, root, report }: Pick<ProjectContext, 'load' | 'root' | 'report'>,
): ToolsetScope {
  return scopeOf(definition, { ...loadAgents(definition, load, report), home: homeOf(definition, root) });
}

function scopeOf(
  { authored, file }: ProjectDefinition,
  { agents, incomplete, home }: { agents: Map<string, AgentDefinition>; incomplete: boolean; home: string },
): ToolsetScope & { told: Set<string> } {
  return {
    agents: [...agents.keys()],
    python: (authored.python_files ?? []).length > 0,
    incomplete,
    told: new Set(),
    generates: (authored.generated_agents_dir ?? authored.generated_workers_dir) !== undefined,
    ...(isOutside(home) ? { outside: dirname(file) } : {}),
    closed: true,
  };
}

/** The manifest's folder, from the root of the project in which it runs. */
function homeOf({ file }: ProjectDefinition, root: string): string {
  return relative(root, dirname(file)).split(sep).join('/');
}

function isOutside(folder: string): boolean {
  return folder === '..' || folder.startsWith('../') || isAbsolute(folder);
}

const ASKING = { prompt: 'ask', approve_all: 'allow', reject_all: 'deny' } as const;

/** What a project asks a person about, whatever its manifest says of agents: what writes. */
const ASKED = ['write', ...FILE_COMMANDS.flatMap((name) => [`command:${name}`, `command:${name} *`])];
/** What `find` does to files is asked about as well. */
const ASKED_OPTIONS = { find: ['-exec', '-ok', '-delete'] };

/** The manifest's approvals in the words of permissions. */
function settingOf(
  { runtime }: ProjectDefinition['authored'],
  agents: Map<string, AgentDefinition>,
  { folder, home }: { folder: string | null; home: string },
): AgentSetting {
  const isAsked = (name: string): boolean =>
    ownOf(runtime.agent_approval_overrides, name)?.calls_require_approval ??
    runtime.agent_calls_require_approval ??
    false;
  const ask = [...agents.keys()].filter(isAsked).map((name) => `agent:${name}`);
  const depth = runtime.max_depth === undefined ? {} : { depth: runtime.max_depth };
  return {
    agents,
    ...depth,
    asking: ASKING[runtime.approval_mode ?? 'prompt'],
    ask: [...ASKED, ...ask, ...attachmentsAsked([...agents.keys()], runtime), ...askedOfMade(runtime)],
    asks: ASKED_OPTIONS,
    denial: runtime.return_permission_errors === true ? 'report' : 'stop',
    ...(folder === null ? {} : { folder }),
    ...(home === '' ? {} : { home }),
  };
}

/** Agents of the manifest, each as its override says, else as the manifest says of all. */
function attachmentsAsked(
  agents: string[],
  {
    agent_attachments_require_approval: attachments = false,
    agent_approval_overrides: overrides = {},
  }: ProjectDefinition['authored']['runtime'],
): string[] {
  return agents.flatMap((name) =>
    (ownOf(overrides, name)?.attachments_require_approval ?? attachments) ? [`attachments:${name}`] : [],
  );
}

/** Agents that are made in a run are in no manifest, though an override may foresee one. */
function askedOfMade({
  agent_calls_require_approval: calls = false,
  agent_attachments_require_approval: attachments = false,
  agent_approval_overrides: overrides = {},
}: ProjectDefinition['authored']['runtime']): string[] {
  const foreseen = Object.entries(overrides).flatMap(([name, own]) => [
    ...(own.calls_require_approval === true ? [`made:${name}`] : []),
    ...(own.attachments_require_approval === true ? [`attachments:${name}`] : []),
  ]);
  return [...(calls ? ['made'] : []), ...(attachments ? ['attachments:made/*'] : []), ...foreseen];
}

/** Where the files of agents are written that are made in a run, from the project's root. */
function folderOf(
  { authored, node, file }: ProjectDefinition,
  agents: Map<string, AgentDefinition>,
  root: string,
  report: Report,
): string | null {
  const written = authored.generated_agents_dir ?? authored.generated_workers_dir;
  if (written === undefined) return null;
  const found = generatedFolder(written, {
    base: dirname(file),
    root,
    beside: [file, ...[...agents.values()].map((agent) => agent.file)],
  });
  if ('folder' in found) return found.folder;
  const named = memberOf(node, 'generated_agents_dir') ?? memberOf(node, 'generated_workers_dir');
  report({
    code: 'invalid-value',
    at: named ?? node,
    message: found.fault,
    suggestion: named === null ? 'add `"generated_agents_dir": "generated"`' : 'write `generated`',
  });
  return null;
}

/** The agents of `agent_files` by name, and whether one could not be read, which was reported. */
function loadAgents(
  { node, file }: ProjectDefinition,
  load: ProjectContext['load'],
  report: Report,
): { agents: Map<string, AgentDefinition>; incomplete: boolean } {
  const agents = new Map<string, AgentDefinition>();
  let incomplete = false;
  for (const item of memberOf(node, 'agent_files')?.items ?? []) {
    const absolute = resolve(dirname(file), String(item.value));
    if (kindOf(absolute) !== 'file') {
      report({
        code: 'unreadable-file',
        at: item,
        message: `There is no file \`${String(item.value)}\` beside the manifest.`,
        suggestion: besideOf(String(item.value), dirname(file)),
      });
      incomplete = true;
      continue;
    }
    const agent = load(absolute);
    if (agent === null) incomplete = true;
    else if (agent.format !== 'agent') {
      incomplete = true;
      report({
        code: 'unknown-agent',
        at: item,
        message: `Expected an agent in \`${String(item.value)}\`, got a ${agent.format}.`,
      });
    } else if (isToolset(agent.name))
      report({
        code: 'reserved-name',
        at: item,
        message: `\`${agent.name}\` is the name of a toolset; the agent needs another.`,
      });
    else if (agents.has(agent.name))
      report({
        code: 'duplicate-name',
        at: item,
        message: `There is an agent \`${agent.name}\` already.`,
        suggestion: 'give each its own name',
      });
    else agents.set(agent.name, agent);
  }
  return { agents, incomplete };
}

/** What of the `.agent` files beside a manifest was meant; else what to do about one that is not there. */
function besideOf(name: string, folder: string): string {
  const beside = listFolder(folder).flatMap((entry) => (extname(entry.name) === '.agent' ? [entry.name] : []));
  return didYouMean(name, beside) ?? 'write the file, or take it out of `agent_files`';
}

function entryOf(
  { authored, node }: ProjectDefinition,
  agents: Map<string, AgentDefinition>,
  report: Report,
): AgentDefinition | null {
  const name = authored.entry.agent ?? '';
  const agent = agents.get(name);
  if (agent !== undefined) return agent;
  const entry = memberOf(node, 'entry') ?? node;
  report({
    code: 'unknown-agent',
    at: memberOf(entry, 'agent') ?? entry,
    message: `There is no agent \`${name}\` in \`agent_files\`.`,
    suggestion: didYouMean(name, agents.keys()) ?? listed([...agents.keys()]),
  });
  return null;
}

function listed(names: string[]): string | null {
  return names.length === 0 ? null : `there are ${names.map((name) => `\`${name}\``).join(', ')}`;
}

function checkOverrides(node: Node, agents: Map<string, AgentDefinition>, report: Report): void {
  const runtime = memberOf(node, 'runtime');
  const overrides = runtime && memberOf(runtime, 'agent_approval_overrides');
  for (const name of overrides?.members?.keys() ?? []) {
    if (overrides === null || agents.has(name)) continue;
    report({
      code: 'unknown-agent',
      severity: 'warning',
      at: keyOf(overrides, name),
      message: `There is no agent \`${name}\` in \`agent_files\`.`,
      suggestion: didYouMean(name, agents.keys()),
    });
  }
}

/** What a run is given: the request, unless the manifest alone says what is asked. */
function inputsOf({ authored, node }: ProjectDefinition, report: Report): Record<string, InputSpec> {
  const {
    allow_cli_input: allowed = true,
    entry: { args },
  } = authored;
  const description = 'What the entry agent is asked to do.';
  if (allowed)
    return {
      request: {
        type: 'string',
        required: args?.input === undefined,
        description,
        ...(args?.input === undefined ? {} : { default: args.input }),
      },
    };
  if (args?.input === undefined) {
    report({
      code: 'missing-key',
      at: keyOf(node, 'allow_cli_input'),
      message:
        'Nobody says what the entry agent is asked: `allow_cli_input` is false, and `entry.args.input` is missing.',
    });
  }
  return {};
}

function promptOf({ authored: { allow_cli_input: allowed = true, entry } }: ProjectDefinition, texts: Texts): Template {
  return allowed ? inputTemplate('request') : ofParts([entry.args?.input ?? ''], texts);
}
