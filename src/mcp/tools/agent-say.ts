import { z } from 'zod';
import { MOST_SAID } from '../../plan/budget/steering.js';
import { sayIn } from '../../cli/follow/say-to.js';
import { filled } from '../input.js';
import { defineTool } from '../tool.js';

export const agentSay = defineTool({
  name: 'agent_say',
  title: 'Tell a running agent something',
  description: 'Says something to an agent with tools while it works: it hears that at its next turn, and who says it.',
  input: z.strictObject({
    address: filled("A run's id and a step's path, `RUN/PATH`; the id alone where one agent works in the run."),
    text: filled('What it is told.').max(MOST_SAID, { error: `a text of at most ${MOST_SAID} characters` }),
  }),
  annotations: { destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run({ address, text }, { connection, by }) {
    const { run, path } = await sayIn(await connection.session(), { address, text, by });
    return { run, step: path, said: text };
  },
});
