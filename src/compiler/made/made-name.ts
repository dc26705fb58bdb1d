import type { AgentBounds } from '../../plan/agents/made-definition.js';
import { NAME } from '../../plan/names.js';
import { BUILTIN_TOOLS, MAKERS } from '../../plan/tools/tool.js';
import { findProject } from '../project/project.js';
import { createResolver, isBuiltInName } from '../project/resolve.js';
import { TOOL_NAMES, TOOLSET_NAMES } from '../agents/tool-names.js';

/**
 * Tools of MCP servers are named so (`server__tool`, `mcp_server_tool`): a server may have one of that name that nobody
 * has asked it about.
 */
const REMOTE = /__|^mcp_/i;

/**
 * What is wrong with the name of something that an agent makes; null where it is free. It is when no agent, tool or set
 * of tools has it, whatever the case: nothing is ever shadowed.
 */
export function nameFault(
  name: string,
  { taken, maker }: Pick<AgentBounds, 'taken' | 'maker'>,
  workspace: string,
): string | null {
  if (!NAME.test(name))
    return (
      `Expected \`name\` to be a letter with up to 62 letters, digits, \`_\` or \`-\`, got ` +
      `\`${name.slice(0, 100)}\`.`
    );
  const same = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  if (isBuiltInName(name)) return `\`${name}\` is the name of a built-in agent; choose another name.`;
  const resolver = createResolver({ ...findProject(workspace), root: workspace });
  const tools = [
    ...TOOL_NAMES,
    ...BUILTIN_TOOLS,
    ...MAKERS,
    ...TOOLSET_NAMES,
    ...(maker.uses ?? []).map((tool) => tool.name),
    ...resolver.tools(),
  ];
  if (REMOTE.test(name) || tools.some(same)) return `\`${name}\` is the name of a tool; choose another name.`;
  const known = [...taken, maker.name, ...resolver.agents().map((entry) => entry.name)].find(same);
  return known === undefined ? null : `There is an agent \`${known}\` already; choose another name.`;
}
