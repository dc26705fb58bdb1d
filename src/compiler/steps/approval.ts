import type { Fallback } from '../../plan/gates/gate.js';
import type { ApprovalStep } from '../../plan/step.js';
import { memberOf } from '../text/node.js';
import { warnOfSpelling } from '../text/written-number.js';
import { compileTemplate } from '../expressions/template.js';
import type { Authored, StepContext } from './base.js';
import { baseOf, NO_LIMIT_MS, usualPolicy } from './base.js';
import type { GateKeys } from './gate.js';
import { checkOptions, compileRules, gateKeys, stepBefore } from './gate.js';

/** How often a rejection goes back where the author does not say. */
const REWORKS = 3;

/** A gate where people decide. */
export function compileApprovalStep(authored: Authored<'approval'>, context: StepContext): ApprovalStep {
  const keys = gateKeys('approval', 'message', context);
  const inside = typeof authored.approval === 'string' ? {} : authored.approval;
  const { fallback = 'abort', options, edit, default: otherwise } = { ...definedOf(authored), ...definedOf(inside) };
  const content = keys.pick('content');
  if (isFallback(fallback)) keys.pick('fallback');
  for (const key of ['options', 'edit', 'default']) keys.pick(key);
  if (content !== null) warnOfSpelling(content, context.report);
  checkOptions(keys.pick('options'), 'an option', context);
  checkDefault(keys, options, context);
  return {
    kind: 'approval',
    ...baseOf(authored, context),
    deadline_ms: keys.deadline_ms,
    ...usualPolicy(1, NO_LIMIT_MS),
    effect: 'none',
    message: compileTemplate(keys.question, context.templates),
    content: content && compileTemplate(content, context.templates),
    fallback: isFallback(fallback)
      ? fallback
      : { by: compileTemplate(keys.pick('fallback') ?? keys.question, context.templates) },
    ...(options === undefined ? {} : { options }),
    ...(edit === false ? { fixed: true as const } : {}),
    ...(otherwise === undefined ? {} : { default: otherwise }),
    ...reworkOf(keys, context),
    ...compileRules(keys, context),
  };
}

function definedOf<T extends object>(value: T): Partial<T> {
  // some of its own entries
  return Object.fromEntries(Object.entries(value).filter(([, said]) => said !== undefined)) as Partial<T>;
}

function isFallback(written: string): written is Fallback {
  return written === 'approve' || written === 'skip' || written === 'abort';
}

function reworkOf({ pick }: GateKeys, context: StepContext): Pick<ApprovalStep, 'rework'> {
  const written = pick('rework');
  if (written === null) return {};
  const max = memberOf(written, 'max')?.value;
  const step = stepBefore(memberOf(written, 'step') ?? written, context);
  return step === null ? {} : { rework: { step, max: typeof max === 'number' ? max : REWORKS } };
}

/** A default that cannot be meant would decide in somebody's place. */
function checkDefault({ pick, deadline_ms }: GateKeys, options: string[] | undefined, { report }: StepContext): void {
  const written = pick('default');
  if (written === null) return;
  const known = [...(options ?? ['approve']), 'reject'];
  if (!known.includes(String(written.value))) {
    report({
      code: 'invalid-value',
      at: written,
      message: `Expected one of ${known.map((word) => `\`${word}\``).join(', ')}, got \`${String(written.value)}\`.`,
    });
  } else if (deadline_ms === null && options === undefined) {
    report({
      code: 'missing-key',
      at: written,
      message: '`default` counts when the deadline passes, and there is no `deadline`.',
      suggestion: 'add a `deadline`; what an unattended run does is `fallback`',
    });
  }
}
