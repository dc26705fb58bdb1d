import { z } from 'zod';
import type { Spelling } from '../text/respell.js';
import { check } from '../text/check.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import type { Finding, Kept, Report } from '../problems/problem.js';
import { takeKept } from '../problems/problem.js';
import { autonomySchema } from './autonomy.js';
import { intentShape } from './intent.js';
import { onKey } from './on.js';
import { scheduleKey } from './schedule.js';
import type { ReadStep } from './read-step.js';
import { readStep } from './read-step.js';
import {
  agentStep,
  approvalStep,
  askStep,
  blockStep,
  commandStep,
  compileStep,
  flashStep,
  planStep,
  serialStep,
  setStep,
  toolStep,
  waitStep,
  workflowStep,
} from './step.js';
import { RUN_ID } from '../../plan/names.js';
import {
  CARRY_MB_TEXT,
  apart,
  budgets,
  carryMb,
  durability,
  inputSpecs,
  inputSpecsOrList,
  inProject,
  name,
  template,
  text,
} from './values.js';

const workspaceKey = z.union(
  [
    z.literal('worktree'),
    z.strictObject({
      kind: z.literal('worktree').describe('A work tree of git.'),
      carry: apart(z.array(inProject, { error: 'a list of folders' }))
        .optional()
        .describe(
          'Folders that git ignores and that the work needs, such as `node_modules`: copied from tree to tree.',
        ),
      carry_mb: carryMb.optional().describe(CARRY_MB_TEXT),
      from: z
        .string({ error: 'a run' })
        .regex(RUN_ID, { error: "a run's id" })
        .optional()
        .describe('A run in a work tree, with whose work this one begins.'),
    }),
  ],
  { error: 'worktree, or a map with `kind: worktree`, `carry`, `carry_mb` and `from`' },
);

const workflowShape = {
  name: name.optional().describe("Name of the workflow; the file's name when left out."),
  description: text.optional().describe('What it does: for people, and for agents that get no prompt.'),
  inputs: inputSpecs.optional().describe('Declared inputs; undeclared names that are used are found.'),
  execution: z
    .enum(['sequential', 'parallel', 'dag'], { error: 'sequential, parallel or dag' })
    .optional()
    .describe('How steps are ordered; sequential when left out.'),
  budgets: budgets.optional().describe('Limits of a run of this workflow and all it nests.'),
  autonomy: autonomySchema.optional().describe('When its steps wait for a person, beside what perdure.yml says.'),
  durability: durability
    .optional()
    .describe('`synced`: each step of a run waits until what it came to is on the disk; usual when left out.'),
  narrate: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('Whether a narrator and a teacher tell those who watch a run of it; false when left out.'),
  schedule: scheduleKey.optional().describe('When runs of it start by themselves.'),
  on: onKey.optional().describe('What else starts runs of it.'),
  workspace: workspaceKey.optional().describe("Where a run works; the project's folder when left out."),
  output: template.optional().describe("What the workflow yields; its last step's output when left out."),
};

const steps = (step: z.ZodType) => z.array(step, { error: 'a list of steps' }).min(1, { error: 'at least one step' });

const anyStep: z.ZodType = z.lazy(() =>
  z.union([
    agentStep,
    commandStep,
    toolStep,
    workflowStep,
    planStep,
    approvalStep,
    askStep,
    setStep,
    waitStep,
    compileStep,
    flashStep,
    serialStep,
    blockStep.extend({ steps: steps(anyStep).describe('The steps that `foreach` or `loop` runs.') }),
  ]),
);

/** The whole file, for editors. */
export const workflowSchema = z
  .strictObject({
    ...workflowShape,
    inputs: inputSpecsOrList
      .optional()
      .describe('Declared inputs, a map from names or a list; undeclared names that are used are found.'),
    ...intentShape,
    steps: steps(anyStep).optional().describe('The steps, in order; in their place a workflow may say its `goal`.'),
    finally: steps(anyStep)
      .optional()
      .describe('Steps that run when all others have ended, also after a failure or a cancellation.'),
  })
  .describe('A workflow: steps that agents, commands, nested workflows and people do.');

/** The file without its steps, which are checked one by one so that each fault is reported where it is. */
const workflowHead = z.strictObject({
  ...workflowShape,
  steps: steps(z.unknown()),
  finally: steps(z.unknown()).optional(),
});

/** `broken`: the file has faults, and only what is sound of it is here, so that the rest can be looked at. */
export type AuthoredWorkflow = Omit<z.infer<typeof workflowHead>, 'steps' | 'finally'> & {
  steps: ReadStep[];
  finally: ReadStep[];
  broken: boolean;
};

/** What the language has and this version does not run. */
const UNSUPPORTED_KEYS = new Set(['defaults', 'params']);
/** Words of other tools for what has another name here. */
const WORDS: Record<string, string> = {
  mode: 'execution',
  parallel: 'execution',
  budget: 'budgets',
  on_exhausted: 'budgets.on_exhausted',
  outputs: 'output',
  title: 'name',
  timezone: 'zone',
  tz: 'zone',
};

/** What somebody writes out in place of its reference is in no message. */
const SECRETS = new Set(['secret']);

/** What `respelled` holds a workflow against; its steps are read one by one. */
export const workflowSpelling: Spelling = { schema: workflowHead, unsupported: UNSUPPORTED_KEYS, words: WORDS };

/** Reads a workflow's authored form; null when there is nothing to go on with. */
export function readWorkflow(node: Node, report: Report): AuthoredWorkflow | null {
  const head = check(workflowHead, node, { report, unsupported: UNSUPPORTED_KEYS, words: WORDS, secrets: SECRETS });
  const list = memberOf(node, 'steps');
  if (list?.items == null) return null;
  const ordinary = list.items.map((item) => readOnce(item, report));
  const last = (memberOf(node, 'finally')?.items ?? []).map((item) => readOnce(item, report));
  const broken = head === null || [...ordinary, ...last].some(({ whole }) => !whole);
  return { ...(head ?? soundParts(node)), steps: ordinary, finally: last, broken };
}

/** Steps as they were read. While a file is being written most of its steps stay the same nodes. */
const reads = new WeakMap<Node, Kept<ReadStep>>();

function readOnce(node: Node, report: Report): ReadStep {
  const known = reads.get(node);
  if (known?.findings.length === 0) return known.value;
  const found: Finding[] = [];
  const read = (): ReadStep =>
    readStep(node, (finding) => {
      found.push(finding);
      report(finding);
    });
  return takeKept(reads, node, read, { report, record: (work) => ({ value: work(), findings: found }) });
}

/** What the steps of a workflow with a broken head may still rely on. */
function soundParts(node: Node): Pick<AuthoredWorkflow, 'execution' | 'inputs'> {
  const execution = workflowShape.execution.safeParse(memberOf(node, 'execution')?.value);
  const names = [...(memberOf(node, 'inputs')?.members?.keys() ?? [])];
  // Of an unknown mode nothing is known but that it is not in order: `dag` has the fewest rules.
  return {
    execution: execution.data ?? (execution.success ? undefined : 'dag'),
    inputs: Object.fromEntries(names.map((input) => [input, null])),
  };
}
