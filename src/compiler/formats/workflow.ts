import { z } from 'zod';
import type { Check } from '../check.js';
import { check } from '../check.js';
import { didYouMean } from '../nearest.js';
import type { Node } from '../node.js';
import { keyOf, memberOf, startOf } from '../node.js';
import type { Report } from '../problem.js';
import type { AuthoredStep } from './step.js';
import { agentStep, approvalGateStep, approvalStep, commandStep, STEP_KINDS, workflowStep } from './step.js';
import { budgets, inputSpecs, name, template, text } from './values.js';

const workflowShape = {
  name: name.optional().describe("Name of the workflow; the file's name when left out."),
  description: text.optional().describe('What it does: for people, and for agents that get no prompt.'),
  inputs: inputSpecs.optional().describe('Declared inputs; undeclared names that are used are found.'),
  execution: z
    .enum(['sequential', 'parallel', 'dag'], { error: 'sequential, parallel or dag' })
    .optional()
    .describe('How steps are ordered; sequential when left out.'),
  budgets: budgets.optional().describe('Limits of a run of this workflow and all it nests.'),
  output: template.optional().describe("What the workflow yields; its last step's output when left out."),
};

const steps = (step: z.ZodType) => z.array(step, { error: 'a list of steps' }).min(1, { error: 'at least one step' });

/** The whole file, for editors. */
export const workflowSchema = z
  .strictObject({
    ...workflowShape,
    steps: steps(z.union([agentStep, commandStep, workflowStep, approvalStep])).describe('The steps, in order.'),
  })
  .describe('A workflow: steps that agents, commands, nested workflows and people do.');

/** The file without its steps, which are checked one by one so that each fault is reported where it is. */
const workflowHead = z.strictObject({ ...workflowShape, steps: steps(z.unknown()) });

/** `broken`: the head had problems, and only what is sound of it is here, so that the steps can be looked at. */
export type AuthoredWorkflow = Omit<z.infer<typeof workflowHead>, 'steps'> & { steps: (AuthoredStep | null)[]; broken: boolean };

/** What the language has and this version does not run. */
const UNSUPPORTED_KINDS = ['tool', 'ask', 'plan', 'compile', 'flash', 'serial', 'wait', 'set'];
const UNSUPPORTED_STEP_KEYS = new Set([...UNSUPPORTED_KINDS, 'foreach', 'loop', 'steps', 'tools', 'toolsets', 'permissions', 'session']);
const UNSUPPORTED_KEYS = new Set(['finally', 'on_exhausted', 'defaults', 'params', 'schedule']);

/** Words of other tools for what has another name here. */
const STEP_WORDS: Record<string, string> = {
  name: 'id', depends_on: 'needs', dependsOn: 'needs', if: 'when', run: 'command', uses: 'agent', env_vars: 'env', working_directory: 'cwd', retries: 'retry', group: 'parallel_group', onError: 'on_error', args: 'command', with: 'inputs', input: 'inputs', instruction: 'prompt', question: 'approval', max_output: 'max_output_kb',
};
const WORDS: Record<string, string> = { mode: 'execution', parallel: 'execution', budget: 'budgets', outputs: 'output', title: 'name' };

/** Reads a workflow's authored form. Null steps had problems; null as a whole when there is nothing to go on with. */
export function readWorkflow(node: Node, report: Report): AuthoredWorkflow | null {
  const head = check(workflowHead, node, { report, unsupported: UNSUPPORTED_KEYS, words: WORDS });
  const list = memberOf(node, 'steps');
  if (list?.items == null) return null;
  const authored = list.items.map((item) => readStep(item, report));
  return { ...(head ?? soundParts(node)), steps: authored, broken: head === null };
}

/** What the steps of a workflow with a broken head may still rely on. */
function soundParts(node: Node): Pick<AuthoredWorkflow, 'execution' | 'inputs'> {
  const execution = workflowShape.execution.safeParse(memberOf(node, 'execution')?.value);
  const names = [...(memberOf(node, 'inputs')?.members?.keys() ?? [])];
  // Of an unknown mode nothing is known but that it is not in order: `dag` has the fewest rules.
  return { execution: execution.data ?? (execution.success ? undefined : 'dag'), inputs: Object.fromEntries(names.map((input) => [input, null])) };
}

function readStep(node: Node, report: Report): AuthoredStep | null {
  if (node.members === null) {
    report({ code: 'invalid-value', at: node, message: `Expected a step: a map with one of ${STEP_KINDS.join(', ')}.` });
    return null;
  }
  const options: Check = { report, unsupported: UNSUPPORTED_STEP_KEYS, words: STEP_WORDS };
  switch (kindOfStep(node, report)) {
    case 'agent':
      return withKind('agent', check(agentStep, node, options));
    case 'command':
      return isCommandList(node, report) ? withKind('command', check(commandStep, node, options)) : null;
    case 'workflow':
      return withKind('workflow', check(workflowStep, node, options));
    case 'approval': {
      const long = memberOf(node, 'approval')?.members != null;
      return withKind('approval', check(long ? approvalGateStep : approvalStep, node, options));
    }
    case null:
      return null;
  }
}

function withKind<K extends string, T extends object>(kind: K, authored: T | null): ({ kind: K } & T) | null {
  return authored && { kind, ...authored };
}

function kindOfStep(node: Node, report: Report): AuthoredStep['kind'] | null {
  const keys = [...(node.members?.keys() ?? [])];
  const [kind, second] = STEP_KINDS.filter((candidate) => keys.includes(candidate));
  if (kind !== undefined && second === undefined) return kind;
  if (second !== undefined) {
    report({ code: 'step-kind', at: keyOf(node, second), message: `A step is one thing: this one is \`${kind}\` and \`${second}\`.`, suggestion: 'make two steps of it' });
    return null;
  }
  const later = keys.find((key) => UNSUPPORTED_STEP_KEYS.has(key));
  if (later !== undefined) {
    report({ code: 'unsupported-key', at: keyOf(node, later), message: `This version does not run \`${later}\` yet.` });
    return null;
  }
  const near = keys.map((key) => STEP_WORDS[key] ?? didYouMean(key, STEP_KINDS)).find((hint) => hint !== null);
  const suggestion = near === undefined ? null : near.startsWith('did') ? near : `did you mean \`${near}\`?`;
  report({ code: 'step-kind', at: startOf(node), message: `Expected one of ${STEP_KINDS.map((word) => `\`${word}\``).join(', ')} in the step.`, suggestion });
  return null;
}

function isCommandList(node: Node, report: Report): boolean {
  const command = memberOf(node, 'command');
  if (typeof command?.value !== 'string') return true;
  const words = command.value.trim().split(/\s+/).slice(0, 12);
  const list = words.map((word) => (/^[A-Za-z0-9_./=@-]+$/.test(word) ? word : JSON.stringify(word))).join(', ');
  report({
    code: 'command-not-list',
    at: command,
    message: 'Expected a list, got a text: no shell stands between, so each argument is one item.',
    suggestion: `write [${list}]`,
  });
  return false;
}
