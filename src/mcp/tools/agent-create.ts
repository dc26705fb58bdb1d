import { join } from 'node:path';
import { z } from 'zod';
import { agentText } from '../../cli/agents/agent-text.js';
import { listAgents } from '../../cli/agents/list-agents.js';
import { openWorkspace } from '../../cli/session.js';
import { compile } from '../../cli/submit/prepare.js';
import { McpRefusal } from '../errors.js';
import { definitionName, filled } from '../input.js';
import { textOfProgramAgent } from '../program-agent.js';
import { defineTool } from '../tool.js';

export const agentCreate = defineTool({
  name: 'agent_create',
  title: 'Make an agent',
  description:
    'Makes an agent for this connection; `task` and workflows made here may name it. A person approves its ' +
    'exact text before it runs, and it is gone when the connection ends.',
  input: z.strictObject({
    name: definitionName('Its name; no other agent may have it.'),
    description: filled('What it is good for, in a sentence.'),
    instructions: filled('Its system prompt.').optional(),
    prompt: filled('The same as `instructions`.').optional(),
    model: filled('An alias (opus, sonnet, haiku), a full id, or `provider:model`.').optional(),
    tools: z
      .array(filled('A tool.'), { error: 'a list of names' })
      .describe('Names of tools that it may use.')
      .optional(),
    toolsets: z
      .array(filled('A set of tools.'), { error: 'a list of names' })
      .describe('Names of sets of tools that it may use.')
      .optional(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  async run({ name, instructions, prompt, toolsets, ...more }, { connection }) {
    if ((instructions ?? prompt) === undefined)
      throw new McpRefusal('Expected `instructions` of the tool `agent_create` to be a text that is not empty.');
    if (instructions !== undefined && prompt !== undefined)
      throw new McpRefusal(
        '`instructions` and `prompt` of the tool `agent_create` say the same thing; give one of them.',
      );
    const { terminal, made } = connection;
    const workspace = await openWorkspace(terminal);
    const { project } = workspace;
    const taken = listAgents({ project, cwd: terminal.cwd }).agents.find(
      (agent) => agent.name.toLowerCase() === name.toLowerCase(),
    );
    if (taken !== undefined)
      throw new McpRefusal(`There is an agent \`${taken.name}\` already (${taken.source}); choose another name.`);
    if (textOfProgramAgent(name.toLowerCase()) !== null)
      throw new McpRefusal(
        `\`${name.toLowerCase()}\` is the agent of a program, for \`agent_cli\` of the tool \`task\`; choose ` +
          `another name.`,
      );
    const { text, ending } = agentText({ name, ...more, toolsets }, instructions ?? prompt ?? '');
    const file = join(project.root, 'definitions', 'agents', `${name}.${ending}`);
    await made.add({ kind: 'agent', name, description: more.description, file, text }, async (withIt) => {
      await compile(file, workspace, terminal, { made: withIt });
    });
    return {
      name,
      definition: text,
      next:
        `Give it work with \`task\` and agent_name \`${name}\`; a person must approve it. To keep it, a person ` +
        `saves it as definitions/agents/${name}.${ending}.`,
    };
  },
});
