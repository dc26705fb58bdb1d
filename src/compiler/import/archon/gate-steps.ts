import type { JsonObject } from '../../../plan/values/json.js';
import { keyOf } from '../../text/node.js';
import { filled } from './agent-steps.js';
import { playerOf } from './agents.js';
import { depsOf } from './graph.js';
import { promptText } from './references.js';
import type { ArchonApproval } from './schema.js';
import type { Task } from './step-parts.js';
import { bothOf, orderOf, siteOf, stepWith } from './step-parts.js';

/** A node that asks people to approve, or to choose; what is done when they reject comes before it. */
export function approvalSteps(task: Task): JsonObject[] | null {
  const { node } = task;
  const { approval } = node.said;
  if (approval === undefined) return null;
  const message = promptText(approval.message, siteOf(task, ['approval', 'message']));
  const rework = reworkOf(task, approval);
  if (message === null || rework === null) return null;
  const content = contentOf(task);
  const { needs = [], ...entry } = task.entry;
  const all = [...needs, ...rework.needs];
  return [
    ...rework.steps,
    stepWith(
      { node, entry: all.length === 0 ? entry : { ...entry, needs: all } },
      {
        approval: withLabels(message, approval),
        ...(content === null ? {} : { content, edit: false }),
        ...decisionsOf(task, approval),
        ...rework.says,
        on_error: 'stop',
      },
    ),
  ];
}

/** What the one node before it has answered is what is decided on. */
function contentOf({ node, scope }: Task): string | null {
  const [only, ...others] = depsOf(node);
  const before = only === undefined || others.length > 0 ? undefined : scope.graph.byId.get(only);
  if (before === undefined || ['approval', 'cancel'].includes(before.kind)) return null;
  return `\${steps.${before.step}.output${scope.graph.certain.get(node.id)?.has(before.id) ? '' : " ?? ''"}}`;
}

function withLabels(message: string, { decisions = [] }: ArchonApproval): string {
  const labels = decisions.filter(({ label }) => label !== undefined);
  return [message.trim(), ...labels.map(({ id, label }) => `${id}: ${label}`)].join('\n');
}

function decisionsOf({ node, translation }: Task, { decisions }: ArchonApproval): JsonObject {
  if (decisions === undefined) return {};
  translation.losses.changed(
    `${node.id}.approval.decisions`,
    keyOf(node.at, 'approval'),
    'the decision is the output, and what is said with it the comment; a rejection by `perdure reject` stops the run',
  );
  return { options: [...new Set(decisions.map(({ id }) => id))] };
}

interface Rework {
  steps: JsonObject[];
  needs: string[];
  says: JsonObject;
}

/** What is done after a rejection, before people are asked again. Archon counts the rejections themselves. */
function reworkOf(task: Task, { on_reject: reject }: ArchonApproval): Rework | null {
  const none: Rework = { steps: [], needs: [], says: {} };
  const { node, translation, entry } = task;
  const times = (reject?.max_attempts ?? 3) - 1;
  if (reject === undefined) return none;
  if (times === 0) {
    translation.losses.harmless(
      `${node.id}.on_reject`,
      keyOf(node.at, 'approval'),
      'the first rejection ends the run, also in Archon',
    );
    return none;
  }
  const prompt = promptText(reject.prompt, {
    ...siteOf(task, ['approval', 'on_reject', 'prompt']),
    variables: { REJECTION_REASON: "rework.feedback ?? ''" },
  });
  if (prompt === null) return null;
  const id = `${node.step}-rework`;
  const step = {
    id,
    ...playerOf({ ...node, said: { id: node.id } }, translation),
    prompt: filled(prompt),
    timeout: '60m',
    ...orderOf({ ...entry, when: bothOf(entry.when, '(rework.round ?? 0) > 0') }),
  };
  return { steps: [step], needs: [id], says: { rework: { step: id, max: times } } };
}

/** A node that ends the run. */
export function cancelSteps(task: Task): JsonObject[] | null {
  const { node, translation } = task;
  const message = promptText(node.said.cancel ?? '', siteOf(task, ['cancel']));
  if (message === null) return null;
  translation.losses.changed(
    `${node.id}.cancel`,
    keyOf(node.at, 'cancel'),
    'the run ends as `error` with that reason, not as cancelled',
  );
  return [stepWith(task, { set: { message: message.trim() }, require: false, on_error: 'stop' })];
}
