import { z } from 'zod';
import type { Gate } from '../../plan/gates/gate.js';
import type { Json } from '../../plan/values/json.js';
import { billLines } from '../../cli/bill/bill-words.js';
import { answerValue } from '../../cli/follow/input/answer-value.js';
import { gateAt } from '../../cli/follow/decide-gate.js';
import type { Says } from '../../cli/follow/decide.js';
import { decide } from '../../cli/follow/decide.js';
import { readGateContent } from '../../cli/follow/gate-content.js';
import { findRun } from '../../cli/observe/find-run.js';
import { rootOf } from '../../cli/observe/view/view.js';
import type { Store } from '../../store/store.js';
import { askDecision } from '../ask-decision.js';
import { McpRefusal } from '../errors.js';
import { filled } from '../input.js';
import { givenBy, isForPerson } from '../own-content.js';
import { billFor } from '../report.js';
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
  const value: Json | undefined = answer === undefined ? undefined : await answerValue(answer, gate);
  return {
    decision: value !== undefined && decision === 'approve' ? 'answer' : decision,
    by,
    via: 'mcp',
    ...(comment === undefined ? {} : { comment }),
    ...(value === undefined ? {} : { value: await store.put(value) }),
  };
}
