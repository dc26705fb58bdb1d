import type { ApplicationFailure } from '@temporalio/common';
import type { ProgramChoice } from '../../plan/agents/program.js';
import { stepFailure } from '../failures.js';
import { httpFailure } from '../models/model-failures.js';
import type { ProgramOutcome } from './program.js';
import { PROGRAM } from './programs.js';

/** An outcome that is no answer, as the failure of the step (decision 13). */
export function refusalOf(
  outcome: Exclude<ProgramOutcome, { kind: 'answer' }>,
  { program, model }: ProgramChoice,
  maxTurns: number,
): ApplicationFailure {
  switch (outcome.kind) {
    case 'refused':
      return refused(outcome, `${program}'s ${model ?? 'own choice'}`);
    case 'signed-out':
      return stepFailure(
        'signed-out',
        `\`${program}\` has neither a key nor a login here, and has asked ` +
          `nobody${outcome.message === '' ? '' : ` (it says: ${outcome.message.trim()})`}. ` +
          `${PROGRAM[program].signIn}`,
      );
    case 'turns-exceeded':
      return stepFailure(
        'turns-exceeded',
        `\`${program}\` did not come to an answer within \`max_turns\` (${maxTurns}). Raise it, or ask for less.`,
      );
    case 'schema-unmet':
      return stepFailure('answer-invalid', `The answer does not satisfy \`schema\`: ${outcome.message}`);
    case 'budget-spent':
      return stepFailure('limit-reached', `\`${program}\` has spent what it may.`);
    case 'session-lost':
      return stepFailure('program-failed', `\`${program}\` does not know its own session any more.`);
    case 'failed':
      return stepFailure('program-failed', outcome.message);
  }
}

function refused(
  { status, message, afterMs }: Extract<ProgramOutcome, { kind: 'refused' }>,
  model: string,
): ApplicationFailure {
  if (status === null) return stepFailure('program-failed', message);
  const header = (name: string): string | null =>
    name === 'retry-after-ms' && afterMs !== null && afterMs > 0 ? String(afterMs) : null;
  return httpFailure({ status, kind: null, message, header, model });
}
