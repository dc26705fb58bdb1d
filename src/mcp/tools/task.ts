import { join } from 'node:path';
import { z } from 'zod';
import { didYouMean } from '../../compiler/problems/did-you-mean.js';
import { findListed, listAgents } from '../../cli/agents/list-agents.js';
import { openWorkspace } from '../../cli/session.js';
import { begunByAnother, findConversation, wantedSession } from '../../cli/submit/conversation.js';
import { PROGRAMS } from '../../plan/agents/program.js';
import type { Connection } from '../connection.js';
import { McpRefusal, refusedName } from '../errors.js';
import { background, filled } from '../input.js';
import { programAgent, textOfProgramAgent } from '../program-agent.js';
import type { Wanted } from '../start-run.js';
import { startRun } from '../start-run.js';
import { defineTool } from '../tool.js';
import { finish } from './finish.js';

/** Who does a task when nobody is named. */
const ANYBODY = 'general-purpose';
const SHORT = 120;

/** Its file, and its text where it is no file. */
type FoundAgent = { file: string } & Partial<Pick<Wanted, 'made' | 'written'>>;

export const task = defineTool({
  name: 'task',
  title: 'Give an agent a task',
  description: 'Has an agent do a task, durably. Gives its answer; a long one gives a handle for `run_wait`.',
  input: z.strictObject({
    description: filled('What it is about, in three to five words. Not needed with `session_id`.').optional(),
    prompt: filled('The whole task.'),
    agent_name: filled('Name of an agent; `agents_list` has them.').optional(),
    agent_cli: z
      .enum(PROGRAMS, { error: 'claude, codex or gemini' })
      .optional()
      .describe(
        'The program that does it. A session goes on with the program that began it; ignored beside ' +
          '`agent_name` where one begins.',
      ),
    background,
    session_id: filled(
      'Goes on with the session of an earlier task: the agent is told what was said in it.',
    ).optional(),
  }),
  annotations: { destructiveHint: true, openWorldHint: true },
  async run(
    { description, prompt, agent_name: named, agent_cli: program, background: leave, session_id: given },
    call,
  ) {
    const { connection, by } = call;
    if (description === undefined && given === undefined)
      throw new McpRefusal(
        'Expected `description` of the tool `task` to be a text that is not empty; only a task that goes on ' +
          'with a `session_id` needs none.',
      );
    const begun = given === undefined ? null : await findConversation(given, (await connection.session()).store);
    if (begun !== null && program !== undefined && program !== begun.agent_cli) throw begunByAnother(begun, program);
    const name = named ?? begun?.agent_name ?? (program === undefined ? ANYBODY : programAgent(program));
    const agent = await findAgent(name, connection);
    const conversation = wantedSession(given ?? 'new');
    const started = await startRun(
      {
        definition: agent.file,
        inputs: { request: prompt },
        ...shortLine(description),
        by,
        made: null,
        ...agent,
        ...(conversation === null ? {} : { conversation }),
      },
      call,
    );
    return finish(started, leave, call, { session_id: conversation?.id ?? null });
  },
});

/** One line of at most 120 characters: what is longer is no description. */
function shortLine(text: string | undefined): { description?: string } {
  if (text === undefined) return {};
  const line = text.replace(/\s+/g, ' ').trim();
  return { description: line.length <= SHORT ? line : `${line.slice(0, SHORT - 1)}…` };
}

/**
 * The agent of that name: the project's, a built-in one, one that was made in this connection, or one that is nothing
 * but a program.
 */
export async function findAgent(name: string, { terminal, made }: Connection): Promise<FoundAgent> {
  const { project } = await openWorkspace(terminal);
  const { agents } = listAgents({ project, cwd: terminal.cwd });
  const written = findListed(agents, name);
  if (written !== null && 'taken' in written) throw refusedName(written.taken);
  if (written !== null) return { file: written.file };
  const own = made.find('agent', name);
  if (own !== undefined) return { file: own.file, made: own };
  const ours = textOfProgramAgent(name);
  const file = join(project.root, 'definitions', 'agents', `${name}.yml`);
  if (ours !== null) return { file, written: { file, text: ours } };
  const known = [...agents, ...made.all('agent')].map((agent) => agent.name);
  throw new McpRefusal(
    `There is no agent \`${name}\`; ` +
      `${didYouMean(name, known) ?? `there are ${known.map((one) => `\`${one}\``).join(', ')}`}`,
  );
}
