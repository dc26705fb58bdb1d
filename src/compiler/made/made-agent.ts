import { join } from 'node:path';
import { canonicalJson } from '../../plan/values/json.js';
import type { AgentBounds, AgentMade, AgentRequest } from '../../plan/agents/made-definition.js';
import type { Permissions } from '../../plan/tools/permission.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { Agent } from '../../plan/step.js';
import type { Tool } from '../../plan/tools/tool.js';
import { runsPrograms } from '../../plan/tools/tool.js';
import { heldCommands } from '../agents/agent-uses.js';
import type { AgentDefinition } from '../agents/agent-definition.js';
import { createAgentCompiler } from '../agents/compile-agent.js';
import type { Texts } from '../hash.js';
import { createLoader } from '../load.js';
import { nameFault } from './made-name.js';
import { didYouMean } from '../problems/did-you-mean.js';
import { createReport, problemLine, recordNothing, sortProblems, toldProblems } from '../problems/problem.js';
import type { NamedTools } from '../agents/tool-names.js';
import { heldTools } from '../agents/server-tools.js';
import { TOOLSET_NAMES, namedTools, toolsetTools } from '../agents/tool-names.js';
import { yamlText } from '../text/yaml-text.js';

/**
 * Makes an agent of what another one says of it. The file is read as a person's would be; its tools are
 * those of its maker that it names, with its maker's permissions, and its turns and output are at most its maker's.
 * Nothing is written. Its Plan's long texts are in `texts`.
 */
export function compileMadeAgent(
  request: AgentRequest,
  bounds: AgentBounds,
  workspace: string,
): { made: AgentMade; texts: Texts } {
  const texts: Texts = new Map();
  const name = nameFault(request.name, bounds, workspace);
  const faults = [...(name === null ? [] : [name]), ...modelFaults(request, bounds)];
  const text = writeAgentFile(request);
  const { problems, report } = createReport();
  // Nothing of a name that is none gets into a path.
  const definition =
    faults.length > 0
      ? null
      : createLoader(workspace, report, new Map([[join(workspace, fileOf(request)), text]])).load(
          join(workspace, fileOf(request)),
        );
  const found = definition?.format === 'agent' ? definition : null;
  if (found !== null) faults.push(...readFaults(request, found));
  const tools = toolsOf(request, bounds);
  faults.push(...tools.faults);
  const errors = sortProblems(problems)
    .filter(({ severity }) => severity === 'error')
    .map(problemLine);
  if (found === null || errors.length + faults.length > 0)
    return { made: { problems: toldProblems([...errors, ...faults]) }, texts };
  // Its tools are its maker's and are looked up nowhere; what it was told of variables is text (I4).
  const { agent } = createAgentCompiler(
    {
      report: () => undefined,
      record: recordNothing,
      texts,
      cwd: '',
      permissions: undefined,
      within: [],
      generated: { kinds: [], budgets: NO_BUDGETS },
      findTool: () => null,
      toolNames: () => [],
      findSkill: () => null,
      skillNames: () => [],
      mayHook: () => false,
      findFile: { root: '', read: () => null, isFolder: () => false },
      findRemote: () => null,
      findAgent: () => null,
      findTwins: () => null,
    },
    () => null,
  )(withoutTools(found), [], { agents: new Map() });
  return { made: { text, agent: bounded(agent, request, bounds, tools) }, texts };
}

function fileOf({ name }: AgentRequest): string {
  return `${name}.agent`;
}

function withoutTools(definition: AgentDefinition): AgentDefinition {
  const { tools: _tools, toolsets: _toolsets, ...authored } = definition.authored;
  return { ...definition, authored };
}

function bounded(
  agent: Agent,
  { model }: AgentRequest,
  { maker, models, model: spoken }: AgentBounds,
  { uses, held }: FoundTools,
): Agent {
  const permissions = maker.permissions;
  return {
    ...agent,
    model: model ?? (models.includes('') ? null : spoken),
    tools: uses.map(({ name }) => name),
    max_turns: Math.min(agent.max_turns, maker.max_turns),
    max_output_kb: Math.min(agent.max_output_kb, maker.max_output_kb),
    uses,
    // Its calls are its maker's as well, for whoever wrote hooks for that.
    ...(maker.hooks === undefined ? {} : { hooks: maker.hooks }),
    ...(permissions === undefined
      ? {}
      : { permissions: { ...permissions, commands: commandsOf(permissions, uses, held) } }),
  };
}

function modelFaults({ model }: AgentRequest, { models }: AgentBounds): string[] {
  if (model === undefined || models.includes(model)) return [];
  return [
    `Expected one of the models of this run (${listed(models.filter((name) => !name.startsWith('default:')))}), ` +
      `got \`${model}\`; or leave \`model\` out.`,
  ];
}

/** What was written must read as what was said. */
function readFaults({ name, instructions }: AgentRequest, { authored, name: read }: AgentDefinition): string[] {
  return read === name && authored.prompt === instructions.trim()
    ? []
    : ['Expected `instructions` to be a text that is not empty, and that a file can hold.'];
}

interface FoundTools {
  uses: Tool[];
  /** Commands to which each naming of the shell holds it. */
  held: NamedTools['commands'][];
  faults: string[];
}

/** The tools of its maker that it names. Toolsets are those that are registered, and its maker's agents. */
function toolsOf({ tools = [], toolsets = [] }: AgentRequest, { maker: { uses = [] } }: AgentBounds): FoundTools {
  const found: FoundTools = { uses: [], held: [], faults: [] };
  const known = new Map(uses.map((tool) => [tool.name, tool]));
  const add = (wanted: string, named: NamedTools | null, unknown: () => string): void => {
    const names = known.has(wanted) || named === null ? remotesOr(wanted, uses) : [...named.builtin, ...named.makers];
    const missing = names.filter((name) => !known.has(name));
    if (named === null && missing.length > 0) found.faults.push(unknown());
    else if (missing.length > 0)
      found.faults.push(`It may use ${listed(missing)} by \`${wanted}\`, which its maker may not.`);
    for (const name of names) {
      const tool = known.get(name);
      if (tool !== undefined && !found.uses.some((one) => canonicalJson(one) === canonicalJson(tool)))
        found.uses.push(tool);
    }
    if (named?.builtin.some(runsPrograms) === true) found.held.push(named.commands);
  };
  for (const name of tools)
    add(name, namedTools(name), () => `Its maker has no tool \`${name}\`${hint(name, [...known.keys()])}.`);
  for (const name of toolsets)
    add(
      name,
      toolsetTools(name),
      () => `There is no toolset \`${name}\`${hint(name, [...TOOLSET_NAMES, ...known.keys()])}.`,
    );
  return found;
}

/** Tools of MCP servers that a name means (`github__*`), of those that its maker has; else the name itself. */
function remotesOr(wanted: string, uses: Tool[]): string[] {
  const remotes = heldTools(
    wanted,
    uses.filter((tool) => tool.kind === 'mcp'),
  );
  return remotes.length === 0 ? [wanted] : remotes.map(({ name }) => name);
}

function hint(name: string, known: string[]): string {
  const near = didYouMean(name, known);
  return near === null ? `; there are ${listed(known)}` : `; ${near.replace(/\?$/, '')}`;
}

/**
 * Commands that its maker may run and that its own naming of the shell takes in; without a shell, those of tools that
 * were made.
 */
function commandsOf({ commands }: Permissions, uses: Tool[], held: NamedTools['commands'][]): Permissions['commands'] {
  if (uses.some(({ name }) => runsPrograms(name))) return heldCommands(commands, held);
  return uses.some((tool) => tool.kind === 'custom' && tool.through === 'shell') ? commands : [];
}

function listed(names: string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `\`${name === '' ? 'default' : name}\``).join(', ');
}

/** The text of an `.agent` file: front matter, and below it the instructions. */
export function writeAgentFile({ name, description, model, tools, toolsets, instructions }: AgentRequest): string {
  const head = {
    name,
    description,
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
    ...(toolsets === undefined ? {} : { toolsets }),
  };
  return `---\n${yamlText(head)}---\n\n${instructions.trim()}\n`;
}
