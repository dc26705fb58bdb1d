import type { Template } from '../../plan/values/expression.js';
import type { Plan } from '../../plan/plan.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { StepBase } from '../../plan/step.js';
import { inputTemplate } from '../workflow/compile-agent-alone.js';
import { seal } from '../workflow/compile-workflow.js';
import type { Texts } from '../hash.js';
import { literalTemplate, NO_LIMIT_MS, usualPolicy } from '../steps/base.js';

/** What a person approves before anything else happens. */
export interface GateBefore {
  message: string;
  /** Shown as it is, and not to be changed. */
  content: string;
  /** What of it a client made, so that it can be promoted. */
  made?: Plan['made'];
}

/** What a gate shows of texts that were made: one alone as it is, several below each other with what they are. */
export function shownTexts(made: { kind: string; name: string; text: string }[]): string {
  const [only] = made;
  if (made.length <= 1) return only?.text ?? '';
  return made.map(({ kind, name, text }) => `# ${kind} ${name}\n${text.trim()}\n`).join('\n');
}

/**
 * A Plan behind an approval of the exact text that it was made from. Whoever submits it may not approve it. Long texts
 * are added to `texts`.
 */
export function gatePlan(plan: Plan, { message, content, made }: GateBefore, texts: Texts): Plan {
  const { planVersion: _version, hash, agents, nested, ...body } = plan;
  const inputs: Record<string, Template> = Object.fromEntries(
    Object.keys(plan.inputs).map((name) => [name, inputTemplate(name)]),
  );
  const text = (value: string): Template => literalTemplate(value, texts);
  return seal({
    name: plan.name,
    description: plan.description,
    inputs: plan.inputs,
    steps: [
      {
        kind: 'approval',
        ...base(0, 'approve'),
        ...usualPolicy(1, NO_LIMIT_MS),
        effect: 'none',
        message: text(message),
        content: text(content),
        fallback: 'abort',
        fixed: true,
        rules: { not_submitter: true },
      },
      {
        kind: 'workflow',
        ...base(1, 'made'),
        ...usualPolicy(1, NO_LIMIT_MS),
        needs: [{ step: 0, skip: true }],
        workflow: plan.name,
        plan: hash,
        inputs,
      },
    ],
    groups: {},
    output: null,
    budgets: NO_BUDGETS,
    ...(made === undefined ? {} : { made }),
    // What is approved runs where it says that it does.
    ...(plan.workspace === undefined ? {} : { workspace: plan.workspace }),
    agents,
    nested: { ...nested, [hash]: body },
  });
}

function base(index: number, id: string): Omit<StepBase, 'timeout_ms' | 'retry' | 'effect'> {
  return { index, id, needs: [], parallel_group: null, when: null, on_error: 'stop', deadline_ms: null, always: false };
}
