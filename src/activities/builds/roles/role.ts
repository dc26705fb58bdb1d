import type { Role } from '../../../plan/builds/build-spec.js';
import { BUILDER } from './builder.js';
import { CUSTOM } from './custom.js';
import { REVIEWER } from './reviewer.js';
import type { RoleTemplate } from './template.js';
import { TESTER } from './tester.js';

const ROLE: Record<Role, RoleTemplate> = { builder: BUILDER, tester: TESTER, reviewer: REVIEWER, custom: CUSTOM };

/** The template of a role. */
export function roleOf(role: Role): RoleTemplate {
  return ROLE[role];
}
