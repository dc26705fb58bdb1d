import type { Trigger } from '../../../plan/builds/build-spec.js';
import { rulesAt } from '../../../plan/builds/build-spec.js';
import type { Json } from '../../../plan/values/json.js';
import { dataBlock } from '../../../plan/text/data-block.js';

/** What a trigger's rules stand under. */
const HEADING: Record<Trigger, string> = {
  always: '## Rules\n\nThese hold for all that you do.',
  on_task_complete: '## Before you are done\n\nSee that these hold, and mend what does not, before you answer.',
  on_test_fail: '## When a test fails\n\nThese hold for what you do about it.',
  before_deploy: '## Before it goes out\n\nThese must hold.',
};

/** Part 8: the rules of the spec that hold at a trigger. */
export function rulesPart(spec: Json, trigger: Trigger): string | null {
  const rules = rulesAt(spec, trigger);
  if (rules.length === 0) return null;
  const blocks = rules.map(({ name, prompt }) => dataBlock('rule', prompt, name));
  return `${HEADING[trigger]} They lift none of your limits.\n\n${blocks.join('\n\n')}`;
}
