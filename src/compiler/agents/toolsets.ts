import { toText } from '../../plan/values/json.js';
import type { AgentDefinition } from './agent-definition.js';
import { didYouMean } from '../problems/did-you-mean.js';
import { memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import type { Node } from '../text/node.js';
import { TOOLSET_NAMES, toolsetTools } from './tool-names.js';

export function isToolset(name: string): boolean {
  return TOOLSET_NAMES.includes(name);
}

/** What is known where an agent's toolsets are looked up. */
export interface ToolsetScope {
  /** Agents that it may call. */
  agents: string[];
  /** True where there are files of Python, in which a toolset may be. */
  python: boolean;
  /** Whether the manifest says where made agents are written. */
  generates: boolean;
  /** The manifest's folder, where that lies outside of the folder of perdure.yml. */
  outside?: string;
  /** Outside a project nobody knows all agents: an unknown name is then a warning. */
  closed: boolean;
}

/** Looks up an agent's toolsets: built in, another agent, or itself. */
export function checkToolsets({ node, name }: AgentDefinition, scope: ToolsetScope, report: Report): void {
  const known = [...TOOLSET_NAMES, ...scope.agents, name];
  const items = memberOf(node, 'toolsets')?.items ?? [];
  const unknown = items.filter(({ value }) => !known.includes(toText(value)));
  for (const item of unknown) {
    const toolset = toText(item.value);
    if (scope.python || /[.:]/.test(toolset)) {
      report({
        code: 'python-only',
        at: item,
        message: `The toolset \`${toolset}\` is Python, which Perdure does not run.`,
      });
    } else {
      const suggestion = didYouMean(toolset, known) ?? `there are ${known.map((one) => `\`${one}\``).join(', ')}`;
      report({
        code: 'unknown-toolset',
        severity: scope.closed ? 'error' : 'warning',
        at: item,
        message: `There is no toolset and no agent \`${toolset}\`.`,
        suggestion,
      });
    }
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
      suggestion: `run it from there: \`cd ${scope.outside}\``,
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
