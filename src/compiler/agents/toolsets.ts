import { toText } from '../../plan/values/json.js';
import type { AgentDefinition } from './agent-definition.js';
import { didYouMean } from '../problems/did-you-mean.js';
import { memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import type { Node } from '../text/node.js';
import { TOOLSET_NAMES, toolsetTools } from './tool-names.js';
import { shellCommand } from '../../plan/text/shell-command.js';

export function isToolset(name: string): boolean {
  return TOOLSET_NAMES.includes(name);
}

/** What is known where an agent's toolsets are looked up. */
export interface ToolsetScope {
  /** Agents that it may call. */
  agents: string[];
  /** What is told of an agent's name that several files have; null for any other. */
  twins?: (name: string) => { missing: string; suggestion: string | null } | null;
  /** True where there are files of Python, in which a toolset may be. */
  python: boolean;
  /** An agent could not be read: a name that is not there may be its own, and that was reported. */
  incomplete?: boolean;
  /** Toolsets that were told to be Python's already: each is told where it is named first. */
  told?: Set<string>;
  /** Whether the manifest says where made agents are written. */
  generates: boolean;
  /** The manifest's folder, where that lies outside of the folder of perdure.yml. */
  outside?: string;
  /** Outside a project nobody knows all agents: an unknown name is then a warning. */
  closed: boolean;
}

/** Looks up an agent's toolsets: built in, another agent, or itself. */
export function checkToolsets({ node, name }: AgentDefinition, scope: ToolsetScope, report: Report): void {
  const known = [...new Set([...TOOLSET_NAMES, ...scope.agents, name])];
  const items = memberOf(node, 'toolsets')?.items ?? [];
  for (const item of items) {
    if (!known.includes(toText(item.value))) checkUnknown(item, known, scope, report);
    else if (item.value !== name) checkTwins(item, scope, report);
  }
  for (const { item, first, tool } of twiceNamed(items))
    report({
      code: 'duplicate-name',
      at: item,
      message: `\`${first}\` has a tool \`${tool}\` already, and \`${toText(item.value)}\` has one of that name, too.`,
      suggestion: `keep one of the two toolsets`,
    });
  const homely = items.find(({ value }) => toolsetTools(toText(value))?.from === 'home');
  if (homely !== undefined && scope.outside !== undefined)
    report({
      code: 'invalid-value',
      severity: 'warning',
      at: homely,
      message:
        `\`${toText(homely.value)}\` is the folder of the manifest, which lies outside of this project; a run cannot ` +
        'touch its files from here.',
      suggestion: `run it from there: \`${shellCommand('cd', [scope.outside])}\``,
    });
  const dynamic = items.find(({ value }) => value === 'dynamic_agents');
  if (dynamic !== undefined && scope.closed && !scope.generates) {
    report({
      code: 'missing-key',
      severity: 'warning',
      at: dynamic,
      message: '`dynamic_agents` writes agents to `generated_agents_dir`, which the manifest does not have.',
      suggestion: 'add `"generated_agents_dir": "generated"`',
    });
  }
}

/** Toolsets with a tool of a name that one before has: a model could not tell which it calls. */
function twiceNamed(items: Node[]): { item: Node; first: string; tool: string }[] {
  const owners = new Map<string, string>();
  return items.flatMap((item) => {
    const toolset = toText(item.value);
    const names = toolsetTools(toolset)?.builtin ?? [];
    const tool = names.find((name) => owners.has(name) && owners.get(name) !== toolset);
    const first = tool === undefined ? undefined : owners.get(tool);
    for (const name of names) owners.set(name, owners.get(name) ?? toolset);
    return tool === undefined || first === undefined ? [] : [{ item, first, tool }];
  });
}

/** An agent's name that several files of one folder have. */
function checkTwins(item: Node, { twins }: ToolsetScope, report: Report): void {
  const toolset = toText(item.value);
  const told = isToolset(toolset) ? null : (twins?.(toolset) ?? null);
  if (told !== null) report({ code: 'unknown-toolset', at: item, message: told.missing, suggestion: told.suggestion });
}

/** What is no toolset of ours and no agent: Python's, or a name that means nothing. */
function checkUnknown(item: Node, known: string[], scope: ToolsetScope, report: Report): void {
  const { incomplete = false, python, closed, told } = scope;
  const toolset = toText(item.value);
  const near = didYouMean(toolset, known);
  if (/[.:]/.test(toolset) || (python && near === null && !incomplete)) {
    if (told?.has(toolset) !== true)
      report({
        code: 'python-only',
        at: item,
        message: `The toolset \`${toolset}\` is Python, which Perdure does not run.`,
        suggestion: 'take it out; what it did can be a `tool.yml` under `definitions/tools`, named under `tools`',
      });
    told?.add(toolset);
  } else if (!incomplete)
    report({
      code: 'unknown-toolset',
      severity: closed ? 'error' : 'warning',
      at: item,
      message: `There is no toolset and no agent \`${toolset}\`.`,
      suggestion: near ?? `there are ${known.map((one) => `\`${one}\``).join(', ')}`,
    });
}
