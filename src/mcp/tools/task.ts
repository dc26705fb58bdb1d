import { join } from 'node:path';
import { z } from 'zod';
import { didYouMean } from '../../compiler/nearest.js';
import { listAgents } from '../../cli/agents/list-agents.js';
import { openWorkspace } from '../../cli/session.js';
import { wantedSession } from '../../cli/submit/inject-context.js';
import type { Connection } from '../connection.js';
import { McpRefusal } from '../errors.js';
import { background, filled } from '../input.js';
import type { MadeDefinition } from '../made.js';
import { startRun } from '../start-run.js';
import { defineTool } from '../tool.js';
import { finish } from './finish.js';

/** Who does a task when nobody is named. */
const ANYBODY = 'general-purpose';

export const task = defineTool({
  name: 'task',
  title: 'Give an agent a task',
  description: 'Has an agent do a task, durably. Gives its answer; a long one gives a handle for `run_wait`.',
  input: z.strictObject({
    description: filled('What it is about, in three to five words. Not needed with `session_id`.').optional(),
    prompt: filled('The whole task.'),
    agent_name: filled('Name of an agent; `agents_list` has them.').optional(),
    agent_cli: z.enum(['claude', 'codex', 'gemini'], { error: 'claude, codex or gemini' }).optional().describe('The program that does it; ignored beside `agent_name`.'),
    background,
    session_id: filled('Goes on with the session of an earlier task: the agent is told what was said in it.').optional(),
  }),
  annotations: { destructiveHint: true, openWorldHint: true },
  async run({ description, prompt, agent_name: named, agent_cli: program, background: leave, session_id: given }, call) {
    const { connection, by } = call;
    if (description === undefined && given === undefined) throw new McpRefusal('Expected `description` of the tool `task` to be a text that is not empty; only a task that goes on with a `session_id` needs none.');
    const name = named ?? (given === undefined ? ANYBODY : await agentOfSession(given, connection));
    const { file, made } = named === undefined && given === undefined && program !== undefined ? await programAgent(program, connection) : await findAgent(name, connection);
    const conversation = wantedSession(given ?? 'new');
    const run = await startRun({ definition: file, inputs: { request: prompt }, by, made, ...(conversation === null ? {} : { conversation }) }, connection);
    return { ...(await finish(run, leave, call)), session_id: conversation?.id ?? null };
  },
});

/** An agent that is nothing but a program. Its text is ours, so nobody needs to approve it. */
async function programAgent(program: string, { terminal, made }: Connection): Promise<{ file: string; made: null }> {
  const { project } = await openWorkspace(terminal);
  const name = `${program}-cli`;
  const file = join(project.root, 'definitions', 'agents', `${name}.yml`);
  const text = `name: ${name}\nagent: ${program}\nprompt: You do the task that you are given.\n`;
  const known = made.find('agent', name);
  if (known === undefined) await made.add({ kind: 'agent', name, description: `The program ${program}.`, file, text, plain: true }, async () => undefined);
  else if (known.text !== text) throw new McpRefusal(`This connection has made an agent \`${name}\`; name it with \`agent_name\`.`);
  return { file, made: null };
}

/** Who a session is with. */
async function agentOfSession(id: string, connection: Connection): Promise<string> {
  const { store } = await connection.session();
  const session = store.readSession(id);
  if (session === null) throw new McpRefusal(`Session not found: ${id}`);
  return session.agent_name;
}

/** The agent of that name: the project's, a built-in one, or one that was made in this connection. */
async function findAgent(name: string, { terminal, made }: Connection): Promise<{ file: string; made: MadeDefinition | null }> {
  const { project } = await openWorkspace(terminal);
  const { agents } = listAgents({ project, cwd: terminal.cwd });
  const written = agents.find((agent) => agent.name === name) ?? agents.find((agent) => agent.name.toLowerCase() === name.toLowerCase());
  if (written !== undefined) return { file: written.file, made: null };
  const own = made.find('agent', name);
  if (own !== undefined) return { file: own.file, made: own };
  const known = [...agents, ...made.all('agent')].map((agent) => agent.name);
  throw new McpRefusal(`There is no agent \`${name}\`; ${didYouMean(name, known) ?? `there are ${known.map((one) => `\`${one}\``).join(', ')}`}`);
}
