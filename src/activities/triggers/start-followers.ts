import { hash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { evaluate, isTrue } from '../../plan/references/evaluate.js';
import type { ClosingRun } from '../../plan/result.js';
import { FOLLOWER_LOG } from '../../plan/triggers/follow.js';
import type { Follower } from '../../plan/triggers/follow.js';
import { EVENT } from '../../plan/triggers/schedule.js';
import type { PreparedRun, StartCall } from '../../plan/triggers/start.js';
import { STARTER, STARTER_PREFIX } from '../../plan/triggers/start.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import type { Value } from '../../plan/values/value.js';
import { inline, isStored } from '../../plan/values/value.js';
import { StoreFailure } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';
import { givenInput } from './event-input.js';

/**
 * Starts the runs that follow the end of a root run, each once however often this is called. A rehearsal is followed by
 * none. What keeps one from being started stands in the ended run's log: no run fails by it. Throws where the server or
 * the store cannot be reached: then this run cannot end either.
 */
export async function startFollowers(ended: ClosingRun, store: Store): Promise<void> {
  if (ended.rehearsal) return;
  let following: Follower[] = [];
  let event: JsonObject = {};
  const isFollowed = await told(ended, store, async () => {
    following = (await store.readFollowers()).filter((follower) => follows(follower, ended));
    if (following.length > 0) event = await eventOf(ended, store);
    return null;
  });
  if (!isFollowed) return;
  for (const follower of following) {
    if (!isWanted(follower, event)) continue;
    await told(ended, store, async () => {
      if (!isOfItsProject(follower, ended)) return otherProject(follower, ended);
      // `schedules sync` put nothing else there
      const prepared = (await store.get(follower.prepared)) as unknown as PreparedRun;
      const given = await givenInput(prepared, { plan: await store.getPlan(prepared.plan), event, store });
      if ('fault' in given) return `\`${follower.definition}\`: ${given.fault}`;
      await start(follower, event, ended, store);
      return null;
    });
  }
}

/** Does it, and writes down why it could not be done; false then. */
async function told({ run }: ClosingRun, store: Store, act: () => Promise<string | null>): Promise<boolean> {
  const why = await act().catch((error: unknown) => {
    if (!(error instanceof StoreFailure) || error.passes) throw error;
    return error.message;
  });
  if (why === null) return true;
  const log = store.openLog(run, FOLLOWER_LOG);
  log.write('note', `not started after this run: ${why}\n`);
  await log.close();
  return false;
}

function follows({ definitions, ends, paused }: Follower, { plan_name, status }: ClosingRun): boolean {
  return paused === undefined && definitions.includes(plan_name) && ends.includes(status);
}

/** A name means a definition of the follower's own project. Runs of before do not say whose they are. */
function isOfItsProject({ project }: Follower, ended: ClosingRun): boolean {
  return ended.project === undefined || ended.project === project;
}

/** Without a name in perdure.yml a project is its machine and folder: a container is another one each time. */
function otherProject({ definition, project }: Follower, ended: ClosingRun): string {
  return (
    `\`${definition}\` is of the project \`${project}\`, and follows its runs alone; this run is of ` +
    `\`${ended.project ?? ''}\`. Where both are one, say \`project: NAME\` in perdure.yml of both, and sync.`
  );
}

/** What is told of the run: `FOLLOWED_EVENT`. */
async function eventOf(ended: ClosingRun, store: Store): Promise<JsonObject> {
  const whole = async (value: Value): Promise<Json> => (isStored(value) ? store.get(value.ref) : value.value);
  const inputs: [string, Json][] = [];
  for (const [name, value] of Object.entries(ended.input)) inputs.push([name, await whole(value)]);
  const { run, plan_name, status, output, error, spend, submitted_by, ended_at } = ended;
  return {
    ...{ run, definition: plan_name, status, error, submitted_by, time: ended_at },
    inputs: Object.fromEntries(inputs),
    output: output === null ? null : await whole(output),
    ...{ usd: spend.usd, tokens: spend.tokens, steps: spend.steps },
  };
}

function isWanted({ when }: Follower, event: JsonObject): boolean {
  if (when === null) return true;
  const scope = { environment: { [`input:${EVENT}`]: inline(event) }, load: noValue, text: String };
  return isTrue(evaluate(when, scope));
}

/** An event is at hand as a whole. */
function noValue(): never {
  throw new Error('An event holds no stored values.');
}

/** The id names the run that has ended, by its first Temporal run as well: an id may come again after `prune`. */
async function start(
  { definition, prepared }: Follower,
  event: JsonObject,
  { run, journal }: ClosingRun,
  store: Store,
): Promise<void> {
  const {
    client,
    info: { taskQueue },
  } = Context.current();
  const call: StartCall = { prepared, event: await store.put(event) };
  try {
    await client.workflow.start(STARTER, {
      workflowId: `${STARTER_PREFIX}${store.id}/${definition}/${hash('sha256', `${run} ${journal}`).slice(0, 32)}`,
      taskQueue,
      args: [call],
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      staticSummary: `starts ${definition}`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
