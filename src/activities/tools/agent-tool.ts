import { shortHash } from '../../plan/packing/short-hash.js';
import type { PlanAgentTool } from '../../plan/tools/tool.js';
import { stepFailure } from '../failures.js';
import { failed } from './handler/builtin.js';
import type { ToolHandler } from './handler/handler.js';
import { direct, pathsOf, questionOf, schemaOf } from './makers/agent-call.js';

const INPUT_ALONE = {
  type: 'object',
  properties: { input: { type: 'string', description: 'All that it needs to know, and what it shall do.' } },
  required: ['input'],
  additionalProperties: false,
};

/**
 * An agent of the Plan as a tool. Its calls are conversations of their own, which the workflow holds: of those with
 * attachments the files are read here.
 */
export const agentTool: ToolHandler<PlanAgentTool> = {
  async spec({ name, description, attaches }, store) {
    const about = description === null ? `The agent \`${name}\`.` : await store.getText(description);
    const sees = `It sees only what you write under \`input\`${attaches === undefined ? '' : ' and the attachments'}`;
    return {
      name,
      description: `${about}\n\nAsk this agent to do its part. ${sees}, and answers once.`,
      input_schema: attaches === undefined ? INPUT_ALONE : schemaOf(direct),
    };
  },
  parallel: true,
  quick: false,
  effect: () => 'none',
  action: ({ name, attaches }, args, workspace) => {
    const call = { kind: 'call', what: 'agent', name } as const;
    if (attaches === undefined || args['attachments'] === undefined) return call;
    const parsed = direct.safeParse(args);
    if (!parsed.success) return { invalid: 'Expected `input` and, if there are some, `attachments`.' };
    const files = pathsOf(parsed.data.attachments, workspace, attaches);
    return files.length === 0 ? call : { ...call, files };
  },
  async run({ name, agent, attaches }, args, context) {
    const parsed = direct.safeParse(args);
    if (attaches === undefined || !parsed.success)
      throw stepFailure('internal', `The agent \`${name}\` was to be called as an activity.`);
    const question = await questionOf(parsed.data, { ...context, root: attaches }, context.permissions);
    if ('refusal' in question) return failed(question.refusal);
    const called = { agent: shortHash(agent), name, model: null, max_turns: 1, ...question };
    return { content: null, is_error: false, called };
  },
};
