import type { Gate } from '../../plan/gates/gate.js';
import { isRejectable, missingOf, namesOf } from '../../plan/gates/gate.js';
import { optionText } from '../../plan/gates/option-text.js';
import type { Json } from '../../plan/values/json.js';
import type { OpenGate } from '../observe/view/view.js';
import { formatDuration } from '../text/format.js';
import { safeLine, safeName } from '../text/safe-text.js';
import { shellWord } from '../../plan/text/shell-command.js';
import { typedCommand } from '../text/own-name.js';

/** What a gate wants, in the words that stand before its question. */
export function wantOf({ kind, options }: Gate): string {
  if (kind === 'ask') return 'asks';
  return options === undefined ? 'wants approval' : 'wants a decision';
}

/** The commands that answer a gate, the likely one first; whatever they name can be copied into a shell. */
export function answerCommands({ address, gate }: OpenGate): string[] {
  const to = safeLine(address);
  const { kind, options } = gate;
  const rejecting = isRejectable(gate) ? [typedCommand('perdure reject', [to], '--comment "why"')] : [];
  if (options !== undefined) {
    const [first = '', ...others] = options.map(optionText);
    const or = others.length === 0 ? '' : `    # or ${namesOf(others.map(shellWord), 'or')}`;
    return [`${typedCommand('perdure answer', [to, first])}${or}`, ...rejecting];
  }
  return kind === 'ask'
    ? [`${typedCommand('perdure answer', [to])} "your answer"`]
    : [typedCommand('perdure approve', [to]), ...rejecting];
}

/** Who may decide, who has, and until when: what people want to know of a gate beside its question. */
export function gateFacts(gate: Gate, now: number): string[] {
  const { approvers, excluded, quorum, votes, deadline, reminders, escalated } = gate;
  return [
    ...(approvers === undefined ? [] : [`for ${shownNames(approvers, 'or')}`]),
    ...(excluded === undefined ? [] : [`not for ${shownNames(excluded, 'or')}`]),
    ...(quorum === undefined
      ? []
      : [
          votes === undefined
            ? `${quorum} people must agree`
            : `${shownNames(votes.map(({ by }) => by))} decided, ${missingOf(gate)} more must agree`,
        ]),
    ...(escalated === undefined ? [] : [`escalated to ${shownNames(escalated)}`]),
    ...(reminders === undefined || reminders === 0
      ? []
      : [`reminded ${reminders === 1 ? 'once' : `${reminders} times`}`]),
    deadline === undefined ? 'no deadline' : deadlineFact(deadline, gate.default, now),
  ];
}

function shownNames(names: string[], word?: string): string {
  return namesOf(names.map(safeName), word);
}

function deadlineFact(deadline: string, otherwise: Json | undefined, now: number): string {
  const left = Date.parse(deadline) - now;
  const then = otherwise === undefined ? '' : `, then ${optionText(otherwise)}`;
  return left <= 0
    ? `deadline ${safeLine(deadline).slice(0, 16).replace('T', ' ')} UTC has passed`
    : `${formatDuration(left)} left${then}`;
}
