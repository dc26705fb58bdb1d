import { z } from 'zod';
import { anyJson, count, duration, filledText, id, jsonSchema, template } from './values.js';

const names = z.union([filledText, z.array(filledText).min(1, { error: 'at least one name' })], {
  error: 'a name, or a list of names',
});
const stepName = z.union([id, z.number().int().nonnegative()], { error: "a step's id or index" });
const other = z.union([id, z.number().int().nonnegative()], { error: "`submitter`, or a step's id or index" });
const scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'a text, a number, true or false' });

/** Who may decide, and what happens while nobody does: of approvals and questions alike. */
const people = {
  required_approver: names.optional().describe('Who may decide: a name, or a list of names; anyone when left out.'),
  different_from: z
    .union([other, z.array(other).min(1, { error: 'at least one' })], {
      error: "`submitter`, a step's id or index, or a list of these",
    })
    .optional()
    .describe('Who may not: `submitter`, or a step, which stands for whoever decided it.'),
  quorum: count
    .max(100, { error: 'a whole number from 1 to 100' })
    .optional()
    .describe('How many people must say the same; 1 when left out.'),
  reminder: duration.optional().describe('A reminder after so long, and again after each such time.'),
  escalate: z
    .strictObject(
      { after: duration.describe('After so long.'), to: names.describe('These people may decide as well.') },
      { error: 'a map with after and to' },
    )
    .optional()
    .describe('Who may decide as well when nobody did for so long.'),
};

const FALLBACK = 'approve, skip, abort, or one `${…}` that says so';

/** What an approval may say, beside `approval` or inside it. */
export const approvalKeys = {
  content: template.optional().describe('The exact content that is approved.'),
  fallback: z
    .union([z.enum(['approve', 'skip', 'abort']), z.string().regex(/^\s*\$\{[^]*\}\s*$/, { error: FALLBACK })], {
      error: FALLBACK,
    })
    .optional()
    .describe(
      'What an unattended run does; abort when left out. One `${…}`: what a step says that ran before, `true`, ' +
        '`approve`, `skip` or `{holds, reason}`.',
    ),
  options: z
    .array(filledText, { error: 'a list of texts' })
    .min(1, { error: 'at least one option' })
    .optional()
    .describe('What may be chosen; the choice is the output.'),
  edit: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('Whether the content may be changed before it is approved; true when left out.'),
  default: filledText.optional().describe('What counts when the deadline passes: approve, reject or an option.'),
  rework: z
    .union(
      [
        stepName,
        z.strictObject({
          step: stepName.describe('Where it goes back to.'),
          max: count
            .max(100, { error: 'a whole number from 1 to 100' })
            .optional()
            .describe('How often; 3 when left out.'),
        }),
      ],
      {
        error: "a step's id or index, or a map with step and max",
      },
    )
    .optional()
    .describe('A rejection runs this step, and all that depends on it, again; `${rework.feedback}` is what was said.'),
  ...people,
};

/** What a question may say, beside `ask` or inside it. */
export const askKeys = {
  schema: jsonSchema.optional().describe('JSON Schema of the answer, which then is JSON; a text when left out.'),
  choices: z
    .array(scalar, { error: 'a list of texts or numbers' })
    .min(1, { error: 'at least one choice' })
    .optional()
    .describe('What may be answered.'),
  default: anyJson.optional().describe('What an unattended run answers, and what counts when the deadline passes.'),
  ...people,
};

const deadline = duration.optional().describe('Until when; after it the default counts.');

/** The long form of an approval. */
export const approvalMap = z.strictObject(
  { message: filledText.describe('The question.'), deadline, ...approvalKeys },
  { error: 'a question, or a map with message' },
);

/** The long form of a question. */
export const askMap = z.strictObject(
  { question: filledText.describe('The question.'), deadline, ...askKeys },
  { error: 'a question, or a map with question' },
);
