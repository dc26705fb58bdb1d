import { z } from 'zod';
import type { Allowances } from '../../plan/narration/allowance.js';
import { ALLOWANCES } from '../../plan/narration/allowance.js';
import type { Teller } from '../../plan/narration/record.js';

const allowance = (by: Teller) =>
  z
    .strictObject(
      {
        max_cost_usd: z
          .number()
          .nonnegative({ error: 'a number of at least 0' })
          .optional()
          .describe(`US dollars for a run; ${ALLOWANCES[by].usd} when left out.`),
        max_tokens: z
          .int({ error: 'a whole number of at least 0' })
          .nonnegative({ error: 'a whole number of at least 0' })
          .optional()
          .describe(`Tokens for a run; ${ALLOWANCES[by].tokens} when left out.`),
      },
      { error: 'a map with max_cost_usd, max_tokens' },
    )
    .optional();

/** `narration` of `perdure.yml`: what narrator and teacher may use for a run; 0 for templates and curriculum alone. */
export const narrationSchema = z.strictObject(
  {
    narrator: allowance('narrator').describe('What the narrator may use; 0 leaves it its templates.'),
    teacher: allowance('teacher').describe('What the teacher may use; 0 leaves it its curriculum.'),
  },
  { error: 'a map with narrator, teacher' },
);

/** The allowances that a config gives, with what it leaves open. */
export function allowancesOf(written: z.infer<typeof narrationSchema> = {}): Allowances {
  const of = (by: Teller): Allowances[Teller] => ({
    usd: written[by]?.max_cost_usd ?? ALLOWANCES[by].usd,
    tokens: written[by]?.max_tokens ?? ALLOWANCES[by].tokens,
  });
  return { narrator: of('narrator'), teacher: of('teacher') };
}
