import { z } from 'zod';
import { id } from './values.js';

/** One line. */
const subject = z
  .string({ error: 'a text' })
  .regex(/^[^\p{Cc}\p{Cf}]{1,200}$/u, { error: 'one line of 1 to 200 characters' })
  .regex(/^(?!.*\$\{)/, { error: 'a text without references: a subject is fixed before the run' });

/** `commit` of a step that acts. */
export const commit = subject
  .optional()
  .describe('Commits what the step has changed once it ended well, under this subject; needs `workspace: worktree`.');

/** `commit` of a `set` step. */
export const commitOf = z
  .strictObject({
    of: id.describe('A step before it, beside it, that commits.'),
    subject: subject.describe('The subject of the commit.'),
  })
  .optional()
  .describe('Commits what that step has left in its work tree, though it failed.');
