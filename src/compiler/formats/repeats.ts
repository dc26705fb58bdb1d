import { z } from 'zod';
import { count, filledText, template, text } from './values.js';

const foreachMap = z.strictObject({
  items: template.describe('The list: one `${…}`, or a list.'),
  max_parallel: count.optional().describe('Items that run at once.'),
});

/** Keys that make a step run again and again. */
export const repeats = {
  foreach: z
    .union([filledText, z.array(template), foreachMap], {
      error: 'one `${…}`, a list, or a map with items and max_parallel',
    })
    .optional()
    .describe('Runs the step, or its `steps`, once for each item of a list: `${item}`, `${index}`.'),
  loop: z
    .strictObject(
      {
        until: z
          .union([text, z.boolean()], { error: 'one `${…}`, or true or false' })
          .describe('Condition, looked at after each round: one `${…}`.'),
        max: count.max(10_000, { error: 'a whole number from 1 to 10000' }).describe('Rounds at most.'),
        at_max: z
          .enum(['error', 'continue'], { error: 'error or continue' })
          .optional()
          .describe('What it is when the condition does not hold after the last round; error when left out.'),
      },
      { error: 'a map with until, max and at_max' },
    )
    .optional()
    .describe('Runs the step, or its `steps`, until a condition holds.'),
};
