import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Gate } from '../../plan/gates/gate.js';
import { optionText } from '../../plan/gates/option-text.js';
import type { Json } from '../../plan/values/json.js';
import { billLines } from '../../cli/bill/bill-words.js';
import { answerValue } from '../../cli/follow/input/answer-value.js';
import { gateAt } from '../../cli/follow/decide-gate.js';
import type { Says } from '../../cli/follow/decide.js';
import { decide } from '../../cli/follow/decide.js';
import type { GateContent } from '../../cli/follow/gate-content.js';
import { readGateContent } from '../../cli/follow/gate-content.js';
import { findRun } from '../../cli/observe/find-run.js';
import type { OpenGate } from '../../cli/observe/view/view.js';
import { rootOf } from '../../cli/observe/view/view.js';
import { answerCommands } from '../../cli/render/gate-words.js';
import { safeLine, safeName, safeText } from '../../cli/text/safe-text.js';
import { sha256 } from '../../store/hash.js';
import type { Store } from '../../store/store.js';
import { askPerson } from '../ask-person.js';
import { McpRefusal } from '../errors.js';
import { filled } from '../input.js';
import { givenBy, isForPerson } from '../own-content.js';
import { billFor } from '../report.js';
import type { ToolCall } from '../tool.js';
import { defineTool } from '../tool.js';

const DECISIONS = ['approve', 'reject', 'answer'] as const;

const input = z.strictObject({
  gate: filled("The gate's address, or a run's id when one gate is open in it."),
  decision: z.enum(DECISIONS, { error: 'approve, reject or answer' }).describe('What is decided.'),
  answer: filled('The answer, or the option that is chosen.').optional(),
  comment: z
    .string({ error: 'a text' })
    .max(16_384, { error: 'a text of at most 16384 characters' })
    .optional()
    .describe('Why; a rejection should say it.'),
  hash: filled('Hash of what was looked at, as the run tells it; other content is then not decided on.').optional(),
});

export const gateAnswer = defineTool({
  name: 'gate_answer',
  title: 'Decide a gate',
  description:
    'Approves, rejects or answers what a run waits for. In a run that this client started a person decides, who ' +
    'is asked; the client itself only where the gate names it as its approver.',
  input,
  annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run(given, call) {
    const { connection, by } = call;
    const session = await connection.session();
    const run = rootOf(given.gate);
    const { view, link } = await findRun(run, session);
    if (link === null) throw new McpRefusal(`The run \`${run}\` has ended: ${view.status}.`);
    try {
      const open = gateAt(view, given.gate);
      if (given.hash !== undefined && given.hash !== open.gate.hash)
        throw new McpRefusal(
          `Gate \`${open.gate.path}\` shows other content (${open.gate.hash}) than was decided on ` +
            `(${given.hash}); look again with \`run_status\`.`,
        );
      const content = await readGateContent(open, session.store);
      // A decision with a token is a person's own, whatever it says.
      const { kind, approvers, people } = open.gate;
      const isPersons =
        open.needsToken === true ||
        isForPerson(
          {
            run,
            submittedBy: view.submittedBy,
            kind,
            content,
            decision: given.decision,
            ...(approvers === undefined ? {} : { approvers }),
            ...(people === undefined ? {} : { people }),
          },
          by,
          {
            made: connection.made,
            runs: connection.runs,
            given: await givenBy(by, view, { given: connection.given, store: session.store }),
          },
        );
      if (isPersons) {
        const bill = billLines(await billFor(view, open, connection), open.gate);
        const question = askDecision(open, { content, bill }, given, call);
        if (question !== null) return question;
      }
      const says = await saysOf(given, {
        gate: open.gate,
        store: session.store,
        by: isPersons ? connection.person : by,
      });
      const { gate: _path, ...receipt } = await decide(link.client, open, says, session.store);
      return { run, gate: open.address, ...receipt };
    } finally {
      await link.close();
    }
  },
});

async function saysOf(
  { decision, answer, comment }: z.infer<typeof input>,
  { gate, store, by }: { gate: Gate; store: Store; by: string },
): Promise<Says> {
  const value: Json | undefined = answer === undefined ? undefined : answerValue(answer, gate);
  return {
    decision: value !== undefined && decision === 'approve' ? 'answer' : decision,
    by,
    via: 'mcp',
    ...(comment === undefined ? {} : { comment }),
    ...(value === undefined ? {} : { value: await store.put(value) }),
  };
}

/**
 * Puts the decision before the person at the client, who sees the exact content and all that is said of it; without a
 * way to ask, refuses. Null once they have agreed.
 */
function askDecision(
  open: OpenGate,
  shown: Shown,
  given: z.infer<typeof input>,
  call: ToolCall,
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
  const said = saidIn(given);
  const asked = askPerson(
    {
      // What was shown: an answer to other content, or to another decision, is none.
      key: `decide ${address} ${gate.hash} ${sha256(said)}`,
      message: messageFor(open, shown, said),
      agree: 'Decide so, in my name.',
    },
    call,
  );
  if (asked.kind === 'refused')
    throw new McpRefusal(`The person at the client did not agree. The gate stays open: \`${commands}\`.`);
  return asked.kind === 'ask' ? asked.question : null;
}

/** What a decision is about: the content, and what follows in lines. */
interface Shown {
  content: GateContent | null;
  bill: string[];
}

/** All that the person is shown: which gate, its content and options, and what is decided. */
function messageFor({ address, gate }: OpenGate, { content, bill }: Shown, said: string): string {
  const lines = content === null ? [] : safeText(content.shown).split('\n');
  return [
    `${safeName(address)} ${gate.hash}`,
    safeLine(gate.message),
    ...(content === null ? [] : [lines.map((line) => `│ ${line}`).join('\n')]),
    ...(gate.options === undefined ? [] : [`One of: ${gate.options.map(optionText).join(' · ')}`]),
    bill.join('\n'),
    safeLine(said),
  ].join('\n\n');
}

/** What is decided, and with which words: `The decision: reject. Comment: too early`. */
function saidIn({ decision, answer, comment }: z.infer<typeof input>): string {
  return [
    `The decision: ${decision}${answer === undefined ? '' : ` \`${answer}\``}.`,
    ...(comment === undefined ? [] : [`Comment: ${comment}`]),
  ].join(' ');
}
