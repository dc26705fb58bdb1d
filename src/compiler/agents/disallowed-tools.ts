import { splitTools } from '../formats/agent/agent-tools.js';
import type { Tool } from '../../plan/tools/tool.js';
import type { AgentDefinition } from './agent-definition.js';
import { heldTools } from './server-tools.js';
import { namedTools } from './tool-names.js';

/** Takes from these tools, by name, those that an agent's file disallows, by whichever of its names. */
export function dropDisallowed(
  tools: Map<string, Tool>,
  { disallowed_tools: said }: Pick<AgentDefinition['authored'], 'disallowed_tools'>,
): void {
  // A pattern of a call (`shell(rm *)`) is a permission.
  for (const name of splitTools(said).filter((one) => !one.includes('('))) {
    for (const one of namedTools(name)?.builtin ?? [name]) {
      tools.delete(one);
      const remotes = [...tools.values()].filter((tool) => tool.kind === 'mcp');
      for (const tool of heldTools(one, remotes)) tools.delete(tool.name);
    }
  }
}
