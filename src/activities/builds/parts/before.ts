import type { Task } from '../../../plan/builds/task.js';
import { literalText } from '../../../plan/values/expression.js';
import { attributeText } from './data.js';

/** Part 4: what was done before, as those said who did it; a template. `ids` are the steps' ids by those of tasks. */
export function beforePart(before: Task[], ids: ReadonlyMap<string, string>): string | null {
  if (before.length === 0) return null;
  const blocks = before.map(
    ({ id, name }) =>
      `<task id="${literalText(attributeText(id))}" name="${literalText(attributeText(name))}">\n` +
      `\${steps.${ids.get(id) ?? ''}.output ?? "It did not succeed."}\n</task>`,
  );
  return `## WHAT HAPPENED BEFORE YOU\n\nAs those said who did it:\n\n${blocks.join('\n\n')}`;
}
