import type { RoleTemplate } from './template.js';
import { BUILDER } from './builder.js';

/** A role that a person thought of: a builder who is, beyond that, what the persona says. */
export const CUSTOM: RoleTemplate = {
  ...BUILDER,
  does: `${BUILDER.does} Your persona says what else you are good for.`,
};
