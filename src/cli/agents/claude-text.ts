import type { Permissions } from '../../plan/tools/permission.js';
import { rootsOf } from '../../plan/values/expression.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Agent } from '../../plan/step.js';
import { permissionsFrom } from '../../compiler/agents/permissions.js';
import type { LostField } from '../../compiler/agents/import-losses.js';
import { yamlText } from '../../compiler/text/yaml-text.js';

/** An agent as Claude Code has it, and what of it has no place there. */
export interface ClaudeFile {
  name: string;
  text: string;
  lost: LostField[];
}

/** Our tools in Claude Code's words. */
const TOOLS: Record<string, string> = {
  read_file: 'Read',
  list_files: 'Glob',
  search_files: 'Grep',
  write_file: 'Write',
  edit_file: 'Edit',
  shell: 'Bash',
  http_request: 'WebFetch',
  web_search: 'WebSearch',
};
const OWN =
  /^(?:Read|Write|Edit|MultiEdit|NotebookEdit|Grep|Glob|LS|Bash|WebFetch|WebSearch|Task|Skill|TodoWrite)(?:\(.*\))?$/;
const DEFAULT_OUTPUT_KB = 100;

/** Writes an agent of a Plan as a file of `.claude/agents`; `prompt` is its instruction as a text. */
export function claudeFile(agent: Agent, prompt: string): ClaudeFile {
  const lost: LostField[] = [];
  const lose = (field: string, reason: string, fix?: string): void =>
    void lost.push({ field, reason, changes_behaviour: true, ...(fix === undefined ? {} : { fix }) });
  const tools = claudeTools(agent, lose);
  const head = {
    name: agent.name,
    description: agent.description ?? `Does the work of \`${agent.name}\`.`,
    tools: tools.length === 0 ? [] : listed(tools),
    ...(agent.disallowed === undefined ? {} : { disallowedTools: listed(agent.disallowed.map(inTheirs)) }),
    model: modelIn(agent, lose),
    maxTurns: agent.max_turns,
    ...(agent.effort === undefined ? {} : { effort: agent.effort }),
    ...(agent.permissions?.asking === 'deny' ? { permissionMode: 'dontAsk' } : {}),
  };
  loseRest(agent, lose);
  return { name: agent.name, text: `---\n${yamlText(head)}---\n\n${prompt.trim()}\n`, lost };
}

type Lose = (field: string, reason: string, fix?: string) => void;

/** An agent of ours without tools has none; there one that names none has all. */
export function claudeTools({ tools, toolsets = [], uses = [] }: Agent, lose: Lose): string[] {
  const kept = tools.flatMap((name) => {
    const theirs = inTheirs(name);
    if (OWN.test(theirs) || theirs.startsWith('mcp__') || theirs === '*') return [theirs];
    const kind = uses.find((tool) => tool.name === name)?.kind;
    if (kind === 'agent') lose('tools', `\`${name}\`: an agent there is asked by \`Task\`, whichever it is`);
    else lose('tools', `\`${name}\`: Claude Code has no such tool`, 'serve it by an MCP server');
    return kind === 'agent' ? ['Task'] : [];
  });
  for (const name of toolsets) lose('toolsets', `\`${name}\`: Claude Code has no sets of tools`);
  return [...new Set(kept)];
}

/** A tool's name in Claude Code's words, where it has some for it. */
export function inTheirs(name: string): string {
  const [, tool = name, pattern = ''] = /^([\w-]+)(\(.*\))?$/.exec(name) ?? [];
  if (Object.hasOwn(TOOLS, tool)) return `${TOOLS[tool] ?? tool}${pattern}`;
  return /^[\w-]+?__/.test(tool) && !tool.startsWith('mcp__') ? `mcp__${tool}` : name;
}

function listed(names: string[]): string {
  return names.join(', ');
}

function modelIn({ model }: Agent, lose: Lose): string {
  if (model === null) return 'inherit';
  const name = model.replace(/^(?:default|anthropic):/, '');
  if (/^(?:opus|sonnet|haiku|fable)$|^claude-/.test(name)) return name;
  lose('model', `\`${model}\` is no model of Claude Code`, 'choose one there');
  return 'inherit';
}

function loseRest(agent: Agent, lose: Lose): void {
  const { inputs, permissions, program, params, base_url, compatible_models, max_output_kb, prompt, hooks } = agent;
  const names = [...new Set([...Object.keys(inputs), ...rootsOf([prompt]).map((root) => root.replace(/^input:/, ''))])];
  if (names.length > 0)
    lose('inputs', `agents there have no inputs: ${names.map((name) => `\`${name}\``).join(', ')} stay as written`);
  if (permissions !== undefined && !permissionsAreUsual(permissions))
    lose('permissions', 'they are settings of the project there', 'write them into `.claude/settings.json`');
  if (program !== null && program !== 'claude') lose('agent', `\`${program}\` does not play agents of Claude Code`);
  if (params !== undefined) lose('params', 'agents there have no settings of their models');
  if (base_url !== undefined) lose('base_url', 'agents there have no server of their own');
  if (compatible_models !== undefined) lose('compatible_models', 'agents there name one model');
  if (hooks !== undefined)
    lose(
      'hooks',
      'there they would run outside of a sandbox',
      'write them into its front matter, if you trust them so',
    );
  if (max_output_kb !== DEFAULT_OUTPUT_KB) lose('max_output_kb', 'answers there have no limit');
}

/** Tells whether permissions are those that every agent has, however few its tools are. */
export function permissionsAreUsual({ asking: _asking, commands, ...own }: Permissions): boolean {
  const { asking: _usual, commands: usual, ...others } = permissionsFrom([], commands.length > 0);
  return (
    canonicalJson({ ...own }) === canonicalJson({ ...others }) && (commands.length === 0 || sameRules(commands, usual))
  );
}

/** A shell that is held to some commands is so by the pattern of its tool, which is carried over. */
function sameRules(commands: Permissions['commands'], usual: Permissions['commands']): boolean {
  const known = new Set(usual.map((rule) => canonicalJson({ ...rule })));
  return commands.every((rule) => known.has(canonicalJson({ ...rule })));
}
