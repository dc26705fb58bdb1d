import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { GateContent } from '../cli/follow/gate-content.js';
import type { OpenGate } from '../cli/observe/view/view.js';
import { answerCommands } from '../cli/render/gate-words.js';
import { safeLine, safeName } from '../cli/text/safe-text.js';
import type { Decision } from '../plan/gates/gate.js';
import { optionText } from '../plan/gates/option-text.js';
import { sha256 } from '../store/hash.js';
import { askPerson, marked } from './ask-person.js';
import { McpRefusal } from './errors.js';
import type { ToolCall } from './tool.js';

/** What a client would decide, as it was given. */
export interface Wanted {
  decision: Decision['decision'];
  answer?: string | undefined;
  comment?: string | undefined;
}

/** What a decision is about: the content, and what follows in lines. */
interface Shown {
  content: GateContent | null;
  bill: string[];
}

/**
 * Puts the decision before the person at the client, who sees the exact content and all that is said of it; without a
 * way to ask, refuses. Null once they have agreed.
 */
export function askDecision(
  open: OpenGate,
  shown: Shown,
  wanted: Wanted,
  call: Pick<ToolCall, 'canAsk' | 'answers'>,
): InputRequiredResult | null {
  const { address, gate } = open;
  const commands = answerCommands(open).join('`, or `');
  if (!call.canAsk) {
    const why =
      open.needsToken === true
        ? `\`${address}\` wants a token with each decision`
        : gate.people === true
          ? `The autonomy wants a person at \`${address}\``
          : `This client is behind what \`${address}\` shows, or has started its run`;
    throw new McpRefusal(`${why}, so a person must decide: \`${commands}\`.`);
  }
  const { decision, answer = null, comment = null } = wanted;
  const asked = askPerson(
    {
      // An answer to other content, to another decision, or to what was asked before is none. What is left of a budget
      // changes while a person reads.
      key: `decide ${address} ${gate.since} ${gate.hash} ${sha256(JSON.stringify([decision, answer, comment]))}`,
      message: messageFor(open, shown, wanted),
      agree: 'Decide so, in my name.',
    },
    call,
  );
  if (asked.kind === 'refused')
    throw new McpRefusal(`The person at the client did not agree. The gate stays open: \`${commands}\`.`);
  return asked.kind === 'ask' ? asked.question : null;
}

/** All that the person is shown: which gate, its content and options, and what is decided. */
function messageFor({ address, gate }: OpenGate, { content, bill }: Shown, wanted: Wanted): string {
  return [
    `${safeName(address)} ${gate.hash}`,
    safeLine(gate.message),
    ...(content === null ? [] : [marked(content.shown)]),
    ...(gate.options === undefined ? [] : [`One of: ${gate.options.map(optionText).join(' · ')}`]),
    bill.join('\n'),
    saidIn(wanted),
  ].join('\n\n');
}

/** What is decided, and with which words: none of these can pass for another part of it. */
function saidIn({ decision, answer, comment }: Wanted): string {
  return [
    `The decision: ${decision}.`,
    ...(answer === undefined ? [] : ['The answer:', marked(answer)]),
    ...(comment === undefined ? [] : ['The comment:', marked(comment)]),
  ].join('\n');
}
