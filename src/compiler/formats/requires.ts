import { z } from 'zod';
import { LONGEST_REQUIREMENT } from '../../plan/names.js';
import { LABEL, MOST_LABELS, PROGRAM, requirementKey, requirementOf } from '../../plan/placement/requirement.js';

const label = z
  .string({ error: 'a label' })
  .regex(LABEL, { error: 'a label: up to 40 lower-case letters, digits, `.`, `_` and `-`' });
const program = z
  .string({ error: 'the name of a program' })
  .regex(PROGRAM, { error: 'the name of a program, without its folder' });

/** `requires` of a step: which workers may do it. */
export const requires = z
  .strictObject(
    {
      labels: z
        .array(label, { error: 'a list of labels' })
        .min(1, { error: 'at least one label' })
        .max(MOST_LABELS, { error: `at most ${String(MOST_LABELS)} labels` })
        .optional()
        .describe('Labels that its worker has, all of them: `perdure worker --labels gpu,lab`.'),
      programs: z
        .array(program, { error: 'a list of programs' })
        .min(1, { error: 'at least one program' })
        .max(MOST_LABELS, { error: `at most ${String(MOST_LABELS)} programs` })
        .optional()
        .describe('Programs that its worker finds on its PATH.'),
      sandbox: z.literal(true, { error: 'true' }).optional().describe('Its worker has a sandbox.'),
    },
    { error: 'a map with labels, programs and sandbox' },
  )
  .refine((asked) => requirementKey(requirementOf(asked)).length <= LONGEST_REQUIREMENT, {
    error: `labels and programs of at most ${String(LONGEST_REQUIREMENT)} characters in all`,
  })
  .optional()
  .describe('What the worker that does the step must have; without it any worker does it.');
