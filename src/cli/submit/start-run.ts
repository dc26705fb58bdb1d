import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { SearchAttributeType, TypedSearchAttributes, defineSearchAttributeKey } from '@temporalio/common';
import { canonicalJson } from '../../plan/values/json.js';
import { INTERPRETER, MEMO, SEARCH_ATTRIBUTES } from '../../plan/names.js';
import type { Plan } from '../../plan/plan.js';
import type { RunRecord, RunStatus } from '../../plan/result.js';
import type { RunInput } from '../../plan/run-input.js';
import type { Hash, Value } from '../../plan/values/value.js';
import { bare } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { usageError } from '../exit-codes.js';

/** The name under which two inputs are the same: SHA-256 of the canonical JSON of the values. */
export function inputHash(input: Record<string, Value>): Hash {
  return sha256(canonicalJson(Object.fromEntries(Object.entries(input).map(([name, value]) => [name, bare(value)]))));
}

/** What names a submission: the same id with the same plan and input is the same run (decision 12). */
export interface Submission {
  run: string;
  plan: Plan;
  input: Record<string, Value>;
}

/** Tells whether a run that closed long ago is this submission; throws a usage error when the id means another. */
export function joinsRecord({ run, plan, input }: Submission, record: RunRecord | null): boolean {
  if (record === null) return false;
  checkSame(run, { plan: record.plan, input: inputHash(record.input) }, { plan: plan.hash, input: inputHash(input) });
  return true;
}

/**
 * Starts the run, or joins the one that was started with the same id, plan and input, closed or not. Gives whether it
 * joined; throws a usage error when the id is taken by another.
 */
export async function startOrJoin(
  link: TemporalLink,
  submission: Submission & { runInput: RunInput; storeId: string; description?: string | undefined },
): Promise<{ joined: boolean }> {
  const { run, plan, input, runInput, storeId, description } = submission;
  const { settings } = runInput;
  try {
    await link.client.workflow.start(INTERPRETER, {
      args: [runInput],
      workflowId: run,
      taskQueue: link.taskQueue,
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      staticSummary: summaryOf(plan, settings.rehearsal, description),
      ...(settings.pages === undefined ? {} : { staticDetails: `[Its page](${settings.pages}/runs/${run})` }),
      memo: {
        [MEMO.definition]: plan.name,
        [MEMO.plan]: plan.hash,
        [MEMO.input]: inputHash(input),
        [MEMO.store]: storeId,
        [MEMO.submittedBy]: settings.submitted_by,
        [MEMO.rehearsal]: settings.rehearsal,
        [MEMO.submittedAt]: new Date().toISOString(),
        [MEMO.waiting]: [],
      },
      ...(link.searchAttributes ? { typedSearchAttributes: searchAttributes(link, plan, run) } : {}),
    });
    return { joined: false };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    checkSame(run, await memoHashes(link.client, run), { plan: plan.hash, input: inputHash(input) });
    return { joined: true };
  }
}

/** What Temporal's UI shows of the run in one line. */
function summaryOf({ name }: Plan, rehearsal: boolean, description: string | undefined): string {
  return `${name}${rehearsal ? ' (rehearsal)' : ''}${description === undefined ? '' : `: ${description}`}`;
}

function searchAttributes({ statusAttribute }: TemporalLink, plan: Plan, run: string): TypedSearchAttributes {
  const keyword = (name: string, value: string) => ({
    key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
    value,
  });
  return new TypedSearchAttributes([
    keyword(SEARCH_ATTRIBUTES.definition, plan.name),
    keyword(SEARCH_ATTRIBUTES.plan, plan.hash),
    keyword(SEARCH_ATTRIBUTES.root, run),
    ...(statusAttribute ? [keyword(SEARCH_ATTRIBUTES.status, 'running' satisfies RunStatus)] : []),
  ]);
}

async function memoHashes(client: Client, run: string): Promise<Hashes> {
  const { memo } = await client.workflow.getHandle(run).describe();
  return { plan: memo?.[MEMO.plan], input: memo?.[MEMO.input] };
}

interface Hashes {
  plan: unknown;
  input: unknown;
}

function checkSame(run: string, there: Hashes, here: Hashes): void {
  const other = there.plan !== here.plan ? 'plan' : there.input !== here.input ? 'input' : null;
  if (other === null) return;
  throw usageError(
    `There is a run \`${run}\` already, with another ${other}.`,
    `See it with \`perdure show ${run}\`, or choose another id.`,
  );
}
