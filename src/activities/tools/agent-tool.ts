import type { Tool } from '../../plan/tools/tool.js';
import { stepFailure } from '../failures.js';
import type { ToolHandler } from './handler/handler.js';

/** An agent as a tool. Its calls are conversations of their own, which the workflow holds: none is made here. */
export const agentTool: ToolHandler<Tool & { kind: 'agent' }> = {
  async spec({ name, description }, store) {
    const about = description === null ? `The agent \`${name}\`.` : await store.getText(description);
    return {
      name,
      description:
        `${about}\n\nAsk this agent to do its part. ` + 'It sees only what you write under `input`, and answers once.',
      input_schema: {
        type: 'object',
        properties: { input: { type: 'string', description: 'All that it needs to know, and what it shall do.' } },
        required: ['input'],
        additionalProperties: false,
      },
    };
  },
  parallel: true,
  quick: false,
  effect: () => 'none',
  action: ({ name }) => ({ kind: 'call', what: 'agent', name }),
  run: ({ name }) => Promise.reject(stepFailure('internal', `The agent \`${name}\` was to be called as an activity.`)),
};
