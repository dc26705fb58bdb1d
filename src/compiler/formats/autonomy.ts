import { z } from 'zod';
import type { Autonomy } from '../../plan/gates/autonomy.js';
import { AUTONOMY_LEVELS, COURSES, SEVERITIES } from '../../plan/gates/autonomy.js';
import { filledText } from './values.js';
import { plainPattern } from '../../plan/tools/plain-address.js';

const level = z.enum(AUTONOMY_LEVELS, { error: `one of ${AUTONOMY_LEVELS.join(', ')}` });
const course = z
  .enum(COURSES, { error: 'auto or suspend' })
  .optional()
  .describe('Whether actions of this severity go on by themselves or wait for a person.');

/** When actions wait for a person: of a workflow, and of a project. */
export const autonomySchema = z.union(
  [
    level,
    z.strictObject({
      level: level.optional().describe('From which severity on a person is asked; supervised when left out.'),
      checkpoint_policy: z
        .strictObject(
          { low: course, medium: course, high: course, critical: course },
          { error: `a map from ${SEVERITIES.join(', ')} to auto or suspend` },
        )
        .optional()
        .describe('What becomes of actions of a severity, before what the level says.'),
      require_approval_for: z
        .array(filledText, { error: 'a list of types of actions' })
        .optional()
        .describe('Types of actions that always wait, whatever their severity: `deploy`, `flash`, `write:docs/*`.'),
    }),
  ],
  { error: `one of ${AUTONOMY_LEVELS.join(', ')}, or a map with level, checkpoint_policy and require_approval_for` },
);

/** The policy that was written; nothing where none is. */
export function autonomyIn(authored: z.infer<typeof autonomySchema> | undefined): Autonomy | undefined {
  if (authored === undefined) return undefined;
  if (typeof authored === 'string') return { level: authored };
  const { level: at, checkpoint_policy: policy, require_approval_for: types } = authored;
  const said = Object.entries(policy ?? {}).filter(([, value]) => value !== undefined);
  return {
    ...(at === undefined ? {} : { level: at }),
    ...(said.length === 0 ? {} : { checkpoint_policy: Object.fromEntries(said) }),
    ...(types === undefined ? {} : { require_approval_for: types.map(plainPattern) }),
  };
}
