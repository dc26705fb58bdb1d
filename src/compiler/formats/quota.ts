import { z } from 'zod';
import type { Quota } from '../../plan/budget/quota.js';
import { positive } from './values.js';

/** What all runs of the project together may cost. */
export const quotaSchema = z
  .strictObject(
    {
      max_cost_usd_per_day: positive.optional().describe('US dollars for model calls of all runs of a day (UTC).'),
      max_cost_usd_per_user_per_day: positive.optional().describe('The same for the runs of one submitter.'),
    },
    { error: 'a map with max_cost_usd_per_day, max_cost_usd_per_user_per_day' },
  )
  .refine((written) => Object.keys(written).length > 0, {
    error: 'max_cost_usd_per_day, max_cost_usd_per_user_per_day, or both',
  });

/** The quota as runs are bound to it; null where `perdure.yml` names none. */
export function quotaIn(written: z.infer<typeof quotaSchema> | undefined): Quota | null {
  if (written === undefined) return null;
  return { usd: written.max_cost_usd_per_day ?? null, user_usd: written.max_cost_usd_per_user_per_day ?? null };
}
