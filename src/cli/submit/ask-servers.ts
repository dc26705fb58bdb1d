import { McpServerError, openServer } from '../../activities/mcp/open-server.js';
import { toMcpServer } from '../../compiler/formats/mcp-config.js';
import type { ListedTool } from '../../plan/tools/mcp-server.js';
import { CliError, EXIT } from '../exit-codes.js';
import type { Workspace } from '../session.js';
import type { Terminal } from '../terminal.js';
import { ownOf } from '../../plan/values/own.js';

/**
 * Asks MCP servers of the config for their tools, all at once, so that the Plan can be closed (I2), and ends them
 * again. Throws with exit code 3 where one cannot be used; nothing has been started then.
 */
export async function askServers(
  names: Iterable<string>,
  { config, project }: Workspace,
  terminal: Terminal,
): Promise<Map<string, ListedTool[]>> {
  const asked = [...names].map(async (name): Promise<[string, ListedTool[]]> => {
    const authored = ownOf(config.mcp, name);
    if (authored === undefined) return [name, []];
    const server = await openServer({
      name,
      server: toMcpServer(authored),
      root: project.root,
      credentials: () => terminal.env,
      store: 'submit',
    });
    try {
      return [name, await server.tools()];
    } finally {
      await server.close();
    }
  });
  try {
    return new Map(await Promise.all(asked));
  } catch (error) {
    await Promise.allSettled(asked);
    throw error instanceof McpServerError
      ? new CliError(error.message, EXIT.unavailable, 'It stands under `mcp` in perdure.yml.')
      : error;
  }
}
