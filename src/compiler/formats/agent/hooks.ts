import { z } from 'zod';
import { isToolPattern } from '../../../plan/tools/hook.js';
import { count, filledText } from '../values.js';

/** Seconds that a hook may take at most. */
const MOST_S = 600;
/** As Claude Code has it. */
export const DEFAULT_HOOK_S = 60;

const tools = filledText
  .max(200, { error: 'at most 200 characters' })
  .refine(isToolPattern, { error: 'names of tools with `|` between, a regular expression, or `*`' });

const hook = z.strictObject(
  {
    before: tools.optional().describe('Before calls of these tools: names with `|` between, a pattern, or `*`.'),
    after: tools.optional().describe('After calls of these tools that succeeded.'),
    command: filledText
      .max(4_000, { error: 'a line of at most 4000 characters' })
      .describe('A line for bash. Exit code 2 forbids the call, and says why on stderr.'),
    timeout_s: count
      .max(MOST_S, { error: `a whole number of at most ${MOST_S}` })
      .optional()
      .describe(`Seconds that it may take; ${DEFAULT_HOOK_S} when left out.`),
    files: z
      .record(
        filledText,
        z
          .string({ error: 'a hash' })
          .regex(/^sha256:[0-9a-f]{64}$/, { error: 'a hash such as `sha256:` and 64 hex digits' }),
        { error: 'a map from files to their hashes' },
      )
      .optional()
      .describe('The files of the project that the line names, each with the SHA-256 of what was approved.'),
  },
  { error: 'a map with before or after, command, timeout_s, files' },
);

/** `hooks:` of an agent. */
export const hooksSchema = z.array(hook, { error: 'a list of hooks' });

export type AuthoredHook = z.infer<typeof hook>;
