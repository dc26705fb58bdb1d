import type { Config } from '../../compiler/project/config.js';
import type { Plan } from '../../plan/plan.js';
import type { RunSettings } from '../../plan/run-input.js';

/** What waits for the disk: every run of a project that says so, or one of a workflow that does, or that nests such. */
export function durabilityOf(
  plan: Pick<Plan, 'durability' | 'nested'>,
  { durability }: Pick<Config, 'durability'>,
): Pick<RunSettings, 'durability'> {
  const asked = [plan, ...Object.values(plan.nested)].some((body) => body.durability === 'synced');
  return durability === 'synced' || asked ? { durability: 'synced' } : {};
}
