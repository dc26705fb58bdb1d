import { teamOf } from '../../plan/builds/build-spec.js';
import { stepIdsOf, tasksIn } from '../../plan/builds/task.js';
import type { RunRecord } from '../../plan/result.js';
import { loadValue } from '../../store/transcript.js';
import type { Store } from '../../store/store.js';
import { specOfPlan } from '../observe/build-spec.js';
import { viewOfRecord } from '../observe/closed.js';
import { taskCosts } from '../observe/task-costs.js';

/** Older builds, and older runs, are not looked at. */
const MOST_BUILDS = 10;
const MOST_RUNS = 200;

/** What tasks have cost, in US dollars, with all that was mended in them. */
export interface PastTasks {
  usd: number;
  tasks: number;
}

/**
 * What the tasks of the latest builds that ended here have cost, by the role of who did them. Rehearsals, reruns and
 * tasks whose price nobody knows say nothing, and neither does a build that cannot be read any more.
 */
export async function pastTaskCosts(store: Store): Promise<ReadonlyMap<string, PastTasks>> {
  const past = new Map<string, PastTasks>();
  let builds = 0;
  for (const record of await latestRuns(store)) {
    const costs = await costsOf(record, store).catch(() => []);
    for (const { role, usd } of costs) {
      const known = past.get(role) ?? { usd: 0, tasks: 0 };
      past.set(role, { usd: known.usd + usd, tasks: known.tasks + 1 });
    }
    if (costs.length > 0 && (builds += 1) === MOST_BUILDS) break;
  }
  return past;
}

/** Those that may tell something, the latest first. */
async function latestRuns(store: Store): Promise<RunRecord[]> {
  const latest: RunRecord[] = [];
  for await (const page of store.closedRuns()) {
    latest.push(
      ...page.filter(({ rehearsal, rerun_of, output }) => !rehearsal && rerun_of === undefined && output !== null),
    );
    if (latest.length >= MOST_RUNS) break;
  }
  return latest.slice(0, MOST_RUNS);
}

async function costsOf(record: RunRecord, store: Store): Promise<{ role: string; usd: number }[]> {
  const spec = await specOfPlan(await store.getPlan(record.plan), store);
  if (spec === null || record.output === null) return [];
  const tasks = tasksIn(await loadValue(record.output, store)) ?? [];
  const costs = (await taskCosts(await viewOfRecord(record, store), store))?.tasks ?? {};
  const roles = new Map(teamOf(spec).map(({ name, role }) => [name, role]));
  const ids = stepIdsOf(tasks);
  return tasks.flatMap(({ agent_name }, index) => {
    const role = roles.get(agent_name);
    const usd = costs[ids[index] ?? '']?.usd ?? null;
    return role === undefined || usd === null ? [] : [{ role, usd }];
  });
}
