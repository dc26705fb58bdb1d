import { Context } from '@temporalio/activity';
import type { ToolAnswer } from '../../plan/agents/conversation.js';
import type { ToolCall, ToolsCall, Withheld } from '../contract.js';

/**
 * Makes several calls of one turn, so many at once. Each has its own place in the journal and in the log, as if it had
 * been made by itself. One that fails is withheld and keeps no other from ending; a cancellation ends all.
 */
export function createCallTools(
  callTool: (call: ToolCall) => Promise<ToolAnswer>,
): (call: ToolsCall) => Promise<(ToolAnswer | Withheld)[]> {
  return async ({ calls, at_once, ...head }) => {
    const { cancellationSignal: cancelled } = Context.current();
    const answers = calls.map((): ToolAnswer | Withheld => ({ withheld: true }));
    const queue = [...calls.entries()];
    const lane = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [at, call] = next;
        try {
          answers[at] = await callTool({ ...head, call });
        } catch (error) {
          if (cancelled.aborted) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: at_once }, lane));
    return answers;
  };
}
