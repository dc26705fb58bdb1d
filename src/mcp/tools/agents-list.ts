import { z } from 'zod';
import { listAgents, toListed } from '../../cli/agents/list-agents.js';
import { openWorkspace } from '../../cli/session.js';
import { defineTool } from '../tool.js';

export const agentsList = defineTool({
  name: 'agents_list',
  title: 'List agents',
  description:
    'Lists the agents that `task` and workflows may name, with where each comes from and what it is good for.',
  input: z.strictObject({}),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(_input, { connection }) {
    const { project } = await openWorkspace(connection.terminal);
    const written = listAgents({ project, cwd: connection.terminal.cwd }).agents.map((agent) =>
      toListed(agent, connection.terminal.env),
    );
    const made = connection.made
      .all('agent')
      .map(({ name, description }) => ({ name, source: 'generated', description }));
    return [...written, ...made];
  },
});
