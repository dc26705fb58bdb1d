import type { CommandSpec, OptionSpec } from '../command.js';
import { AS_OPTION, JSON_OPTION } from '../command.js';
import { usageError } from '../exit-codes.js';
import { actingName } from '../terminal.js';

const OPTIONS: OptionSpec[] = [{ flags: '--comment <text>', about: 'what you want to say with it' }, AS_OPTION, JSON_OPTION];
const ADDRESS = { syntax: '<address>', about: "a gate's address, or a run's id when one gate is open in its tree" };

/** What the run takes; longer ones it refuses. */
const LONGEST_COMMENT = 16_384;

function checkComment(comment: string | null): string | null {
  if (comment === null || comment.length <= LONGEST_COMMENT) return comment;
  throw usageError(`Expected \`--comment\` to have at most ${LONGEST_COMMENT} characters, got ${comment.length}.`);
}

/** `approve` and `reject` are one command with two words. */
function decider(decision: 'approve' | 'reject', summary: string, example: string): CommandSpec {
  return {
    name: decision,
    summary,
    arguments: [ADDRESS],
    options: OPTIONS,
    examples: [example],
    async run({ arguments: [address = ''], options, terminal }) {
      const { decideGate } = await import('../follow/decide-gate.js');
      const says = { decision, by: actingName(options.text('as')), comment: checkComment(options.text('comment')) };
      return decideGate({ address, says, json: options.flag('json') }, terminal);
    },
  };
}

export const approve = decider('approve', 'approve what a gate shows', 'perdure approve full-review-7k2m4xqa/approve');
export const reject = decider('reject', 'reject what a gate shows', 'perdure reject full-review-7k2m4xqa/approve --comment "the tests are missing"');
