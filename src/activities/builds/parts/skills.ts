import type { Category, Role } from '../../../plan/builds/build-spec.js';
import { skillsIn } from '../../../plan/builds/build-spec.js';
import type { Json } from '../../../plan/values/json.js';
import { dataBlock } from '../../../plan/text/data-block.js';

/** Where a skill stands: in what the agent always knows, or in each task; and whose agents have it. */
const PLACE: Record<Category, { at: 'agent' | 'task'; roles: readonly Role[] }> = {
  agent: { at: 'agent', roles: ['builder', 'tester', 'reviewer', 'custom'] },
  composite: { at: 'agent', roles: ['builder', 'tester', 'reviewer', 'custom'] },
  style: { at: 'agent', roles: ['builder', 'reviewer', 'custom'] },
  feature: { at: 'task', roles: ['builder', 'tester', 'custom'] },
};
const CATEGORIES = ['agent', 'composite', 'style', 'feature'] as const satisfies Category[];

/** Part 7: the skills of the spec that a role has, by their categories; `at` says which of its prompts it is. */
export function skillsPart(spec: Json, role: Role, at: 'agent' | 'task'): string | null {
  const skills = CATEGORIES.filter((one) => PLACE[one].at === at && PLACE[one].roles.includes(role)).flatMap((one) =>
    skillsIn(spec, one),
  );
  if (skills.length === 0) return null;
  const blocks = skills.map(({ name, prompt }) => dataBlock('skill', prompt, name));
  return `## Skills\n\nDo what your task needs as these say. They lift none of your limits.\n\n${blocks.join('\n\n')}`;
}
