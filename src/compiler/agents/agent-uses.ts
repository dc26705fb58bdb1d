import type { CommandRule } from '../../plan/tools/command-rule.js';
import type { Permissions } from '../../plan/tools/permission.js';
import { boundBy } from '../../plan/tools/permission.js';
import type { ProgramName } from '../../plan/agents/program.js';
import { lackingTools, unheld } from '../../plan/agents/program-access.js';
import type { Agent } from '../../plan/step.js';
import type { Maker, RemoteTool, SearchPlace, Tool } from '../../plan/tools/tool.js';
import { runsPrograms } from '../../plan/tools/tool.js';
import type { Hash } from '../../plan/values/value.js';
import type { AgentDefinition } from './agent-definition.js';
import { dropDisallowed } from './disallowed-tools.js';
import { toolsOf } from '../formats/agent/agent.js';
import { splitTools } from '../formats/agent/agent-tools.js';
import type { AuthoredPermissions } from '../formats/permissions.js';
import { keepText } from '../hash.js';
import type { Texts } from '../hash.js';
import type { FindFile } from './hook-files.js';
import { warnOfHiddenIn } from './skills.js';
import type { Skill } from './skills.js';
import { didYouMean } from '../problems/did-you-mean.js';
import { keyOf, memberOf } from '../text/node.js';
import { permissionsFrom } from './permissions.js';
import type { Place, RecordFindings, Report } from '../problems/problem.js';
import type { MissingRemote } from './server-tools.js';
import { warnOfStray } from './stray-patterns.js';
import type { GeneratedRules } from '../project/generated-rules.js';
import type { FoundTool } from './tool-files.js';
import type { NamedTools } from './tool-names.js';
import { TOOL_NAMES, namedTools, toolsetTools } from './tool-names.js';

/** What a project or a flow says about an agent beside its own file. */
export interface AgentSetting {
  /** In place of the tools of its file. */
  tools?: string[];
  /** Where they are written, if not in its file. */
  toolsAt?: Place;
  /** Patterns of what a person is asked about. */
  ask?: string[];
  asking?: Permissions['asking'];
  /** How deep agents may call agents, where the project says so. */
  depth?: number;
  /** Options of commands, by the command's words, with which a person is asked in place of a refusal. */
  asks?: Record<string, string[]>;
  /** What a denial comes to, where no permissions say it. */
  denial?: Permissions['denial'];
  /** Where the files of agents are written that it makes, from the project's root. */
  folder?: string;
  /** The folder of the manifest, from the project's root; absent for that itself. */
  home?: string;
  /** The only agents that it may name; without them those of the folder. */
  agents?: ReadonlyMap<string, AgentDefinition>;
}

/** Where the tools of agents are looked up. */
export interface ToolSource {
  report: Report;
  /** Takes down what is found in an agent, which is told to each step that has it. */
  record: RecordFindings;
  texts: Texts;
  /** `permissions:` of perdure.yml. */
  permissions: AuthoredPermissions | undefined;
  /** What those may do who made what is compiled: nobody may do more. */
  within: Permissions[];
  /** What may be in workflows that agents make. */
  generated: GeneratedRules;
  /** Where `web_search` looks, where the config says it. */
  search?: SearchPlace | undefined;
  /** The folder that a person is in, from the project's root; empty for that itself. */
  cwd: string;
  /** Where made agents are written where no manifest says it: `agents.generated_agents_dir` of perdure.yml. */
  folder?: string | undefined;
  /**
   * The tool that a `tool.yml` of this name defines; null when there is none, `faulty` when its own problems were
   * reported, and what is told where two files define it.
   */
  findTool: (name: string, from: { file: string }) => FoundTool | 'faulty' | MissingRemote | null;
  /** Names of the project's own tools. */
  toolNames: () => string[];
  /** Tools of MCP servers that a name means; null for a name of another form. */
  findRemote: (name: string) => RemoteTool[] | MissingRemote | null;
  /** The skill of this name; null when there is none. */
  findSkill: (name: string) => Skill | { failure: string } | null;
  /** Names of the project's skills. */
  skillNames: () => string[];
  /** Tells whether an agent's file may have hooks: it is where no agent writes, and nobody made it in a run. */
  mayHook: (file: string) => boolean;
  findFile: FindFile;
  /** The agent of this name; null when there is none. */
  findAgent: (name: string, from: { file: string }) => AgentDefinition | null;
  /** What is told of an agent's name that several files of one folder have; null for any other. */
  findTwins: (name: string, from: { file: string }) => MissingRemote | null;
}

/** What an agent of a Plan uses, and the agents that it reaches through it. */
export interface AgentUses {
  uses: Tool[];
  permissions: Permissions;
  reached: Record<Hash, Agent>;
}

type CompileOther = (definition: AgentDefinition) => { hash: Hash; agent: Agent; reached: Record<Hash, Agent> } | null;

/** The tools that an agent's file names; null when it names none, and so answers without any. */
export function usesOfAgent(
  definition: AgentDefinition,
  setting: AgentSetting,
  source: ToolSource,
  compileOther: CompileOther,
): AgentUses | null {
  const { authored } = definition;
  if (authored.agent !== undefined) return (checkProgram(authored.agent, definition, source.report), null);
  const kept = keptFirst(definition, setting, source);
  const addAgent = (name: string, attaches?: string): boolean =>
    keepAgent(kept, { name, definition, setting, source, compileOther, attaches });
  const addOther = (name: string): boolean => {
    const defined = source.findTool(name, definition);
    return defined === null ? addAgent(name) : keepDefined(kept, defined);
  };
  for (const { name, at } of namesOf(definition, setting)) {
    const named = namedTools(name);
    const remote = named === null ? source.findRemote(name) : null;
    if (named !== null) keepNamed(kept, named);
    else if (Array.isArray(remote)) for (const tool of remote) keep(kept, tool);
    else if (!addOther(name)) reportUnknown(name, at, definition, { source, remote, setting });
  }
  for (const name of authored.toolsets ?? []) {
    const set = toolsetTools(name);
    if (set !== null) keepNamed(kept, set, { home: setting.home, cwd: source.cwd }[set.from]);
    else addAgent(name, setting.home ?? ''); // A tool is no toolset.
  }
  // What a skill's text speaks of can be read.
  if (skillsOf(definition, { ...source, report: () => undefined }).some(({ hasFiles }) => hasFiles))
    keepNamed(kept, { builtin: ['read_file', 'list_files'], makers: [], commands: null });
  dropDisallowed(kept.tools, authored);
  return kept.tools.size === 0
    ? null
    : {
        uses: [...kept.tools.values()],
        permissions: permissionsOf(definition, kept, setting, source),
        reached: kept.reached,
      };
}

/** The skills that an agent's file names; what is none is reported, in another program's file as a warning. */
export function skillsOf(
  { authored: { skills = [], source: origin }, node, file }: AgentDefinition,
  { findSkill, skillNames, report }: ToolSource,
): Skill[] {
  const at = memberOf(node, 'skills');
  return skills.flatMap((name, index) => {
    const skill = findSkill(name);
    const place = at?.items?.[index] ?? at ?? node;
    if (skill !== null && !('failure' in skill)) {
      warnOfHiddenIn(skill, place, report);
      return [skill];
    }
    report({
      code: 'unknown-skill',
      severity: isForeign(file) || origin !== undefined ? 'warning' : 'error',
      at: place,
      message: skill?.failure ?? `There is no skill \`${name}\`.`,
      suggestion:
        didYouMean(name, skillNames()) ?? `write \`definitions/skills/${name}/SKILL.md\`, or leave the skill out`,
    });
    return [];
  });
}

/** A program has its own tools: those that it has no word for, and those that cannot be taken from it, are told. */
function checkProgram(program: ProgramName, { authored, node, file }: AgentDefinition, report: Report): void {
  const disallowed = splitTools(authored.disallowed_tools);
  const held = unheld(program, { tools: toolsOf(authored), disallowed });
  if (held !== null)
    report({
      code: 'unsupported-key',
      at: keyOf(node, 'disallowed_tools'),
      message: `\`${held}\` cannot be taken from \`${program}\`, which plays this agent.`,
      suggestion: '`agent: claude` can be held to it; or leave `agent` out, and a model provider plays it',
    });
  if (authored.permissions?.writable !== undefined)
    report({
      code: 'unsupported-key',
      at: keyOf(memberOf(node, 'permissions') ?? node, 'writable'),
      message: `\`${program}\`, which plays this agent, has tools of its own, and nothing holds it to \`writable\`.`,
      suggestion: 'leave `agent` out, and a model provider plays it',
    });
  if (authored.mcp !== undefined)
    report({
      code: 'unsupported-key',
      at: keyOf(node, 'mcp'),
      message: `\`${program}\` plays this agent with tools of its own, and has none of these servers.`,
      suggestion: 'leave `agent` out, and a model provider plays it with the tools of Perdure',
    });
  // What another program's agent brought along is no mistake of whoever imported it.
  const severity = authored.source === undefined && !isForeign(file) ? 'error' : 'warning';
  for (const name of lackingTools(toolsOf(authored)))
    report({
      code: 'unknown-tool',
      severity,
      at: memberOf(node, 'tools') ?? node,
      message:
        `\`${program}\` plays this agent with tools of its own, and has no ` +
        `\`${name}\`${severity === 'error' ? '' : ': the agent does without it'}.`,
      suggestion: 'leave `agent` out, and a model provider plays it with the tools of Perdure',
    });
}

/** What an agent's names have come to so far. */
interface Kept {
  tools: Map<string, Tool>;
  /** To what each naming of the shell holds it. */
  held: NamedTools['commands'][];
  asked: string[];
  reached: Record<Hash, Agent>;
  folder: string | undefined;
  generated: GeneratedRules;
  search: SearchPlace | undefined;
  home: string | undefined;
}

/** What the provider runs goes before what `tools` names: a tool of the same name is limited as it is written there. */
function keptFirst(
  { authored: { server_side_tools = [] } }: AgentDefinition,
  { agents, folder, home }: AgentSetting,
  { folder: usual, generated, search }: ToolSource,
): Kept {
  return {
    tools: new Map(server_side_tools.map((tool) => [tool.name, tool])),
    held: [],
    asked: [],
    reached: {},
    folder: agents === undefined ? usual : folder,
    generated,
    search,
    home,
  };
}

function keep({ tools }: Kept, tool: Tool): void {
  if (!tools.has(tool.name)) tools.set(tool.name, tool);
}

/** `root`: the folder that they work in, from the project's root. */
function keepNamed(kept: Kept, { builtin, makers, commands }: NamedTools, root = ''): void {
  for (const name of builtin)
    keep(kept, {
      kind: 'builtin',
      name,
      ...(root === '' ? {} : { root }),
      ...(name === 'web_search' && kept.search !== undefined ? { search: kept.search } : {}),
    });
  for (const name of makers) keep(kept, makerNamed(name, kept));
  if (builtin.some(runsPrograms)) kept.held.push(commands);
}

function makerNamed(name: Maker, { folder, generated, home = '' }: Kept): Tool {
  if (name === 'workflow_create') return { kind: 'maker', name, rules: generated };
  return {
    kind: 'maker',
    name,
    ...(name === 'agent_create' && folder !== undefined ? { folder } : {}),
    ...(home === '' || name === 'tool_create' ? {} : { root: home }),
  };
}

function keepDefined(kept: Kept, defined: FoundTool | 'faulty' | MissingRemote): boolean {
  if (defined === 'faulty' || 'missing' in defined) return defined === 'faulty';
  keep(kept, defined.tool);
  if (defined.asks) kept.asked.push(`tool:${defined.tool.name}`);
  return true;
}

interface OtherAgent {
  name: string;
  definition: AgentDefinition;
  setting: AgentSetting;
  source: ToolSource;
  compileOther: CompileOther;
  /** The folder of what it may be shown; absent where it is shown nothing. */
  attaches?: string | undefined;
}

/** Keeps an agent that another one, or itself, may call, and tells whether there is one. */
function keepAgent(kept: Kept, { name, definition, setting, source, compileOther, attaches }: OtherAgent): boolean {
  const found = setting.agents === undefined ? source.findAgent(name, definition) : (setting.agents.get(name) ?? null);
  const other = name === definition.name ? definition : found;
  const compiled = other && compileOther(other);
  if (compiled === null) return other !== null;
  Object.assign(kept.reached, compiled.reached);
  const { description } = compiled.agent;
  keep(kept, {
    kind: 'agent',
    name,
    description: description === null ? null : keepText(description, source.texts),
    agent: compiled.hash,
    ...(attaches === undefined ? {} : { attaches }),
  });
  return true;
}

function permissionsOf(
  { authored, node }: AgentDefinition,
  { tools, held, asked }: Kept,
  { ask = [], asking = 'ask', asks = {}, denial }: AgentSetting,
  source: ToolSource,
): Permissions {
  const said = [authored.permissions, source.permissions].filter((one) => one !== undefined);
  const place = memberOf(node, 'permissions') ?? memberOf(node, 'tools') ?? node;
  warnOfStray(said, tools.values(), source, place);
  const permissions = permissionsFrom(said, [...tools.keys()].some(runsPrograms));
  return boundBy(
    {
      ...permissions,
      commands: heldCommands(permissions.commands, held).map((rule) => asksOf(rule, asks[rule.words])),
      ask: [...asked, ...ask, ...permissions.ask],
      asking: asking === 'ask' ? permissions.asking : asking,
      ...(denial === undefined || said.some(({ on_denial }) => on_denial !== undefined) ? {} : { denial }),
    },
    source.within,
  );
}

/**
 * What the program that an agent names must not write; nobody decides about its calls, so no denial ends its step.
 * Nothing for an agent that names none.
 */
export function permissionsOfProgram({ authored }: AgentDefinition, source: ToolSource): Pick<Agent, 'permissions'> {
  if (authored.agent === undefined) return {};
  const said = [authored.permissions, source.permissions].filter((one) => one !== undefined);
  const { denial: _denial, ...permissions } = boundBy(permissionsFrom(said, false), source.within);
  return { permissions };
}

/** A rule that asks about options in place of refusing them. */
function asksOf(rule: CommandRule, asks: string[] | undefined): CommandRule {
  if (asks === undefined) return rule;
  const refuses = (rule.refuses ?? []).filter((option) => !asks.includes(option));
  return { ...rule, refuses, asks: [...(rule.asks ?? []), ...asks] };
}

/** Names of tools, each where it is written. */
function namesOf(definition: AgentDefinition, setting: AgentSetting): { name: string; at: Place }[] {
  const node = memberOf(definition.node, 'tools') ?? definition.node;
  if (setting.tools !== undefined) return setting.tools.map((name) => ({ name, at: setting.toolsAt ?? node }));
  const items = node.items ?? [];
  const own = toolsOf(definition.authored).map((name) => ({
    name,
    at: items.find(({ value }) => typeof value === 'string' && value.includes(name)) ?? node,
  }));
  const servers = memberOf(definition.node, 'mcp');
  const served = (definition.authored.mcp ?? []).map((name, index) => ({
    name: `${name}__*`,
    at: servers?.items?.[index] ?? servers ?? node,
  }));
  return [...own, ...served];
}

type Unknown = { source: ToolSource; remote: MissingRemote | null; setting: AgentSetting };

/**
 * An agent of another tool may name tools that only that has; in files of ours a name that means nothing is a mistake.
 */
function reportUnknown(name: string, at: Place, { file, authored, node }: AgentDefinition, unknown: Unknown): void {
  const { source, remote } = unknown;
  const isOfOther = at.source === node.source && (isForeign(file) || authored.source !== undefined);
  const foreign = isOfOther && remote?.refused !== true;
  // A server of another program is no mistake in that program's file; what is lacking there an import tells.
  if (foreign && remote !== null && authored.mcp === undefined) return;
  const told = remote ?? twinsOf(name, file, unknown);
  const missing = told === null ? `There is no tool and no agent \`${name}\`` : told.missing.replace(/\.$/, '');
  const message = `${missing}${foreign ? ': the agent does without it' : ''}.`;
  source.report({
    code: 'unknown-tool',
    severity: foreign ? 'warning' : 'error',
    at,
    message,
    suggestion: told === null ? didYouMean(name, [...TOOL_NAMES, ...source.toolNames()]) : told.suggestion,
  });
}

function twinsOf(name: string, file: string, { source, setting }: Unknown): MissingRemote | null {
  const defined = source.findTool(name, { file });
  if (defined !== null && defined !== 'faulty' && 'missing' in defined) return defined;
  return setting.agents === undefined ? source.findTwins(name, { file }) : null;
}

function isForeign(file: string): boolean {
  return /\.(?:md|toml)$/.test(file);
}

/** The commands that the shell is held to: those of any of its namings. */
export function heldCommands(rules: CommandRule[], held: NamedTools['commands'][]): CommandRule[] {
  if (held.some((one) => one === null)) return rules;
  return rules.filter((rule) => rule.class === 'denied' || held.some((one) => one !== null && isHeld(rule, one)));
}

function isHeld({ words, class: kind }: CommandRule, held: NonNullable<NamedTools['commands']>): boolean {
  if ('words' in held) return words === held.words || words.startsWith(`${held.words} `);
  return held.classes.some((one) => one === kind) || (held.also ?? []).includes(words);
}
