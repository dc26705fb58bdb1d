import type { Config } from '../../../compiler/project/config.js';
import { quotaIn } from '../../../compiler/formats/quota.js';
import type { Budgets } from '../../../plan/budget/budgets.js';
import { LIMITS, NO_BUDGETS } from '../../../plan/budget/budgets.js';
import type { Plan } from '../../../plan/plan.js';
import type { RunRecord } from '../../../plan/result.js';
import { cutTo } from '../../../plan/text/cut-to.js';
import { INPUT_PHRASES, isOfInputType } from '../../../plan/values/input-type.js';
import { canonicalJson } from '../../../plan/values/json.js';
import { ownOf } from '../../../plan/values/own.js';
import type { Value } from '../../../plan/values/value.js';
import type { Store } from '../../../store/store.js';
import { loadValue } from '../../../store/transcript.js';
import { usageError } from '../../exit-codes.js';
import { settleLimits, limitsOfQuota } from '../limits.js';

const HINT = 'Start it with `perdure run` and the new inputs.';
/** Characters of a value in a message. */
const SHOWN = 100;

/** A run that is run again, the Plan that it had, and the Plan as it is now. */
interface Again {
  record: Pick<RunRecord, 'input' | 'run'>;
  before: Plan;
  plan: Plan;
}

/**
 * The input of a rerun by the definition as it is now: what the run was given, and defaults. Throws a usage error where
 * the definition takes no such input or one of another type, or needs one that the run was not given.
 */
export async function inputFor(again: Again, store: Pick<Store, 'get'>): Promise<Record<string, Value>> {
  const { record, plan } = again;
  const given: [string, Value][] = [];
  for (const [name, value] of Object.entries(record.input))
    if (await isTaken(again, store, name)) given.push([name, value]);
  const names = new Set(given.map(([name]) => name));
  const missing = Object.entries(plan.inputs)
    .filter(([name, spec]) => spec.required && !names.has(name))
    .map(([name]) => `\`${name}\``);
  if (missing.length > 0)
    throw usageError(
      `The definition has come to need ${missing.join(', ')}, which \`${record.run}\` was not given.`,
      HINT,
    );
  const defaults = Object.entries(plan.inputs).flatMap(([name, spec]) =>
    spec.default === undefined ? [] : [[name, { value: spec.default }] as const],
  );
  return Object.fromEntries([...defaults, ...given]);
}

/** Tells whether the definition takes an input as it was given; false for an old default, which nobody gave. */
async function isTaken({ record, before, plan }: Again, store: Pick<Store, 'get'>, name: string): Promise<boolean> {
  const [spec, old] = [ownOf(plan.inputs, name), ownOf(before.inputs, name)];
  if (spec !== undefined && spec.type === old?.type) return true;
  const value = await loadValue(record.input[name] ?? null, store);
  if (spec !== undefined && isOfInputType(value, spec.type)) return true;
  if (old?.default !== undefined && canonicalJson(value) === canonicalJson(old.default)) return false;
  const { run } = record;
  throw usageError(
    spec === undefined
      ? `The definition \`${plan.name}\` has no input \`${name}\` any more, which \`${run}\` was given.`
      : `Expected the input \`${name}\` to be ${INPUT_PHRASES[spec.type]} now, \`${run}\` was given ` +
          `\`${cutTo(JSON.stringify(value), SHOWN)}\`.`,
    HINT,
  );
}

/**
 * The limits that are set for a rerun: those that were typed, and those that the run had been given beside what its
 * definition (`before`) and the project say, whose limits hold as they are now.
 */
export function limitsFor(
  typed: Budgets,
  { budget }: Pick<RunRecord, 'budget'>,
  before: Plan,
  config: Config,
): Budgets {
  const usual = settleLimits(before, before.budgets, config.workflows?.budgets, limitsOfQuota(quotaIn(config.quota)));
  const limits = { ...NO_BUDGETS };
  for (const limit of LIMITS) limits[limit] = typed[limit] ?? (budget[limit] === usual[limit] ? null : budget[limit]);
  return limits;
}
