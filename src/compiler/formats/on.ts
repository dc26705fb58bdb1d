import { z } from 'zod';
import { FOLLOWED_ENDS } from '../../plan/triggers/follow.js';
import { SIGNATURES } from '../../plan/triggers/webhook.js';
import { triggerInputs } from './schedule.js';
import { count, filledText, variable } from './values.js';

/** One `${…}` with operators, or true or false. */
const condition = z.union([filledText, z.boolean()], { error: 'one `${…}`, or true or false' });

const webhook = z.strictObject(
  {
    signature: z
      .enum(SIGNATURES, { error: `one of ${SIGNATURES.join(', ')}` })
      .describe('How senders sign: `standard` (Standard Webhooks) or `github` (X-Hub-Signature-256).'),
    secret: variable('HOOK_SECRET').describe('The secret, as a reference: `${env.NAME}`. Never the secret itself.'),
    when: condition.optional().describe('Deliveries for which it is false start nothing.'),
    inputs: triggerInputs
      .optional()
      .describe('What a run is given: of `${event.id}`, `type`, `time` and `body`, which is what was posted.'),
    max_kb: count
      .max(1024, { error: 'a whole number from 1 to 1024' })
      .optional()
      .describe('A larger body is refused; 256 when left out.'),
    max_per_minute: count.optional().describe('More deliveries in a minute are refused; 60 when left out.'),
    max_open: count.optional().describe('While so many of its runs are open, more are refused; 10 when left out.'),
  },
  { error: 'a map with signature, secret, when, inputs' },
);

const followed = z.string({ error: 'the name of a definition, or its path' }).min(1, {
  error: 'the name of a definition, or its path',
});
const end = z.enum(FOLLOWED_ENDS, { error: `one of ${FOLLOWED_ENDS.join(', ')}` });

const run = z.strictObject(
  {
    definition: z
      .union([followed, z.array(followed).min(1, { error: 'at least one definition' })], {
        error: 'a definition, or a list of them',
      })
      .describe('The definition whose runs are followed, by name or path; one, or a list.'),
    ends: z
      .union([end, z.array(end).min(1, { error: 'at least one of them' })], {
        error: `one of ${FOLLOWED_ENDS.join(', ')}, or a list of them`,
      })
      .optional()
      .describe('How they have to end; success and partial when left out.'),
    when: condition.optional().describe('Ends for which it is false start nothing.'),
    inputs: triggerInputs
      .optional()
      .describe('What a run is given: of `${event.inputs}`, `output`, `status`, `run` and so on, of the ended run.'),
  },
  { error: 'a map with definition, ends, when, inputs' },
);

/** What starts runs of a workflow, beside people and its schedule. */
export const onKey = z
  .strictObject(
    {
      webhook: webhook.optional().describe('What somebody posts to `perdure listen`.'),
      run: run.optional().describe('The end of a run of another definition.'),
    },
    { error: 'a map with webhook or run' },
  )
  .refine((written) => Object.keys(written).length > 0, { error: 'a map with webhook or run' });

export type AuthoredWebhook = z.infer<typeof webhook>;
export type AuthoredFollow = z.infer<typeof run>;
