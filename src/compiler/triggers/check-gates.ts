import type { Autonomy } from '../../plan/gates/autonomy.js';
import { stepWaits } from '../../plan/outcomes/step-waits.js';
import type { Plan, PlanBody } from '../../plan/plan.js';
import { segmentOf } from '../../plan/plan.js';
import type { ApprovalStep, AskStep, Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { Definition } from '../load.js';
import type { Place, Report } from '../problems/problem.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf, startOf } from '../text/node.js';

/** What is known of a definition whose runs start by themselves. */
export interface UnattendedTools {
  report: Report;
  /** What the project says of when steps wait for a person. */
  policies: Autonomy[];
  /** The definition that a step nests; null where it is not found. */
  nestedIn: (from: Definition, at: Node) => Definition | null;
}

/**
 * Reports every place of a definition where a run that starts by itself would wait for a person for ever, or would
 * always be refused: a gate needs a deadline and a fallback. What it nests is looked at as well, each file once.
 */
export function checkUnattended(definition: Definition, plan: Plan, tools: UnattendedTools): void {
  const seen = new Set<string>();
  const look = (file: Definition, body: PlanBody, policies: Autonomy[], from: Place): void => {
    const own = body.autonomy === undefined ? policies : [...policies, body.autonomy];
    const nodes = stepNodes(file);
    lookAt(nodes, body.steps, (step, node) => {
      const at = node ?? from;
      for (const lack of lacksOf(step, node, own))
        tools.report({ code: 'unattended-gate', at: placeIn(node, at), ...lack });
      const nested = step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
      const written = node === null ? null : memberOf(node, 'workflow');
      if (nested === undefined || written === null) return;
      const inner = tools.nestedIn(file, written);
      if (inner === null || seen.has(inner.file)) return;
      seen.add(inner.file);
      look(inner, nested, own, written);
    });
  };
  look(definition, plan, tools.policies, startOf(definition.node));
}

/** The steps as they are written, those of `finally` last; none of another format, whose steps are made. */
function stepNodes({ format, node }: Definition): Node[] {
  if (format !== 'workflow') return [];
  return ['steps', 'finally'].flatMap((key) => memberOf(node, key)?.items ?? []);
}

function lookAt(nodes: (Node | null)[], steps: Step[], see: (step: Step, node: Node | null) => void): void {
  for (const [index, step] of steps.entries()) {
    const node = nodes[index] ?? null;
    if (!isBlockStep(step)) see(step, node);
    else if (step.body.single) lookAt([node], step.body.steps, see);
    else lookAt(node === null ? [] : (memberOf(node, 'steps')?.items ?? []), step.body.steps, see);
  }
}

/** The key that makes a step what it is, where it is written. */
function placeIn(node: Node | null, otherwise: Place): Place {
  if (node === null) return otherwise;
  const key = ['approval', 'ask', 'plan', 'severity'].find((one) => memberOf(node, one) !== null);
  return key === undefined ? startOf(node) : keyOf(node, key);
}

interface Lack {
  message: string;
  suggestion: string;
}

const WHO = 'Runs of this definition start by themselves, so that nobody may be there';

function lacksOf(step: Step, node: Node | null, policies: Autonomy[]): Lack[] {
  if (step.kind === 'approval' || step.kind === 'ask') return gateLacks(step, node);
  if (step.kind === 'plan')
    return node !== null && memberOf(node, 'fallback') !== null
      ? []
      : [
          {
            message: `${WHO}; \`${segmentOf(step)}\` needs a \`fallback\`.`,
            suggestion: 'write `fallback: approve`, `skip` or `abort` beside `plan`',
          },
        ];
  const why = stepWaits(step, policies);
  if (why === null) return [];
  return [
    {
      message: `${WHO}; \`${segmentOf(step)}\` waits for a person before it acts, and would always be refused. ${why}`,
      suggestion: 'put an `approval` with a `deadline` and a `fallback` before it, and say `autonomy:` for the rest',
    },
  ];
}

function gateLacks(step: ApprovalStep | AskStep, node: Node | null): Lack[] {
  const deadline = step.deadline_ms === null ? ['`deadline`'] : [];
  const fallback = hasFallback(step, node) ? [] : [`\`${fallbackKey(step)}\``];
  const missing = [...deadline, ...fallback];
  if (missing.length === 0) return [];
  const written = [...deadline.map(() => '`deadline: 8h`'), ...fallback.map(() => `\`${fallbackKey(step)}: …\``)];
  return [
    {
      message: `${WHO}; the gate \`${segmentOf(step)}\` needs a ${missing.join(' and a ')}.`,
      suggestion: `write ${written.join(' and ')} beside it`,
    },
  ];
}

/** What counts when nobody decides: of a choice its `default`. */
function fallbackKey(step: ApprovalStep | AskStep): 'default' | 'fallback' {
  return step.kind === 'ask' || step.options !== undefined ? 'default' : 'fallback';
}

function hasFallback(step: ApprovalStep | AskStep, node: Node | null): boolean {
  if (step.default !== undefined) return true;
  if (step.kind === 'ask' || step.options !== undefined) return false;
  // Of a gate that another format makes nobody knows whether somebody meant `abort`.
  if (node === null) return step.fallback !== 'abort';
  return [node, memberOf(node, 'approval')].some((under) => under !== null && memberOf(under, 'fallback') !== null);
}
