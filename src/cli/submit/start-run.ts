import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { SearchAttributeType, TypedSearchAttributes, defineSearchAttributeKey } from '@temporalio/common';
import { attributesOf, detailsOf, inputHash, memoOf, summaryOf } from '../../activities/runs/run-start.js';
import { INTERPRETER, MEMO } from '../../plan/names.js';
import type { Plan } from '../../plan/plan.js';
import type { RunRecord } from '../../plan/result.js';
import type { RunInput } from '../../plan/run-input.js';
import type { Value } from '../../plan/values/value.js';
import type { SubmittedRun } from '../../store/records/submitted-files.js';
import type { Store } from '../../store/store.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { usageError } from '../exit-codes.js';
import { notedServer } from '../observe/lost-runs.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/** What names a submission: the same id with the same plan and input in a project is the same run (decision 12). */
export interface Submission {
  run: string;
  plan: Plan;
  input: Record<string, Value>;
  rehearsal: boolean;
  storeId: string;
}

/** Looks whether a run of this store that closed is this submission; throws a usage error when the id means another. */
export function checkRecord(submission: Submission, { plan, input, rehearsal }: RunRecord): void {
  checkSame(submission, { store: submission.storeId, plan, input: inputHash(input), rehearsal });
}

/**
 * Starts the run, or joins the one that was started here with the same id, plan and input, closed or not. Gives whether
 * it joined; throws a usage error when the id is taken by another.
 */
export async function startOrJoin(
  link: TemporalLink,
  submission: Omit<Submission, 'rehearsal'> & { runInput: RunInput; description?: string | undefined },
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
      ...detailsOf(settings, run),
      memo: memoOf(plan, input, { settings, storeId }),
      ...(settings.search_attributes ? { typedSearchAttributes: searchAttributes(plan, run, settings) } : {}),
    });
    return { joined: false };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    checkSame({ ...submission, rehearsal: settings.rehearsal }, await startedAs(link.client, run));
    return { joined: true };
  }
}

/** The server that a run is given, as it is noted with it. */
export async function serverNote(
  link: TemporalLink,
  store: Pick<Store, 'homes'>,
): Promise<Pick<SubmittedRun, 'server' | 'at'>> {
  const server = await notedServer(link, store);
  if (server === undefined) return {};
  const { connection, namespace, embedded } = link;
  return { server, ...(embedded ? {} : { at: { address: connection.options.address, namespace } }) };
}

/** Which of our search attributes the server knows. */
export function attributesAt({
  searchAttributes: knows,
  statusAttribute,
}: Pick<TemporalLink, 'searchAttributes' | 'statusAttribute'>): ServerAttributes {
  return { search_attributes: knows, ...(statusAttribute ? { status_attribute: true as const } : {}) };
}

export type ServerAttributes = Pick<RunInput['settings'], 'search_attributes' | 'status_attribute'>;

function searchAttributes(plan: Plan, run: string, settings: ServerAttributes): TypedSearchAttributes {
  const pairs = Object.entries(attributesOf(plan, run, settings)).map(([name, value]) => ({
    key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
    value,
  }));
  return new TypedSearchAttributes(pairs);
}

/** As what a run was started. */
interface StartedAs {
  store: unknown;
  plan: unknown;
  input: unknown;
  rehearsal: boolean;
}

async function startedAs(client: Client, run: string): Promise<StartedAs> {
  const { memo } = await client.workflow.getHandle(run).describe();
  return {
    store: memo?.[MEMO.store],
    plan: memo?.[MEMO.plan],
    input: memo?.[MEMO.input],
    rehearsal: memo?.[MEMO.rehearsal] === true,
  };
}

function checkSame(submission: Submission, there: StartedAs): void {
  const { run } = submission;
  // What is of another project cannot be shown here.
  if (there.store !== submission.storeId)
    throw usageError(`There is a run \`${run}\` of another project on this server already.`, 'Choose another id.');
  const other = differenceOf(submission, there);
  if (other === null) return;
  throw usageError(
    `There is a run \`${run}\` already, ${other}.`,
    `See it with \`${shellCommand('perdure show', [run])}\`, or choose another id.`,
  );
}

function differenceOf({ plan, input, rehearsal }: Submission, there: StartedAs): string | null {
  if (there.plan !== plan.hash) return 'with another plan';
  if (there.input !== inputHash(input)) return 'with another input';
  if (there.rehearsal === rehearsal) return null;
  return there.rehearsal ? 'and it is a rehearsal, in which no model was asked' : 'and it is no rehearsal';
}
