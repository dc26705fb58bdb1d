import type { ActivityOptions } from '@temporalio/workflow';
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { TakenHome } from '../../plan/placement/home.js';
import { treeActivityId } from '../../plan/names.js';
import { WORKSPACE_LOST } from '../../plan/placement/home.js';
import { queueFor } from '../../plan/placement/requirement.js';
import type { RunSettings } from '../../plan/run-input.js';
import { acting, HEARTBEAT_TIMEOUT, RETRY } from '../activities.js';
import type { RunContext } from '../state/context.js';
import { withWorker } from './required-worker.js';

/** How long a worker that has the files may leave what it is sent; it doubles where it is there, and busy. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 60_000;
/** A project may be large. */
const TAKE_TIMEOUT = '15m';

/** Tells whether a run's workspace goes from machine to machine: its files stand on the one that its home names. */
export function travels({ settings }: { settings: RunSettings }): boolean {
  return settings.worktree?.travels !== undefined;
}

/**
 * Schedules an activity that works with the files of the run where they are: where they travel on the one worker that
 * has them, and again elsewhere when that is gone.
 */
export function atHome<T>(context: RunContext, options: ActivityOptions, run: Placed<T>): Promise<T> {
  const { home } = context.placement;
  const onEnd = (): void => void (home.ended = options.activityId ?? null);
  return travels(context) ? runAtHome(context, options, run, onEnd) : run(options);
}

/** The same for one that changes no files there. */
export function readAtHome<T>(context: RunContext, options: ActivityOptions, run: Placed<T>): Promise<T> {
  return travels(context) ? runAtHome(context, options, run) : run(options);
}

type Placed<T> = (options: ActivityOptions) => Promise<T>;

async function runAtHome<T>(
  context: RunContext,
  options: ActivityOptions,
  run: Placed<T>,
  onEnd?: () => void,
): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const asked = takeHome(context);
    const { queue, holder } = await asked;
    try {
      const made = await run({ ...options, taskQueue: queue, scheduleToStartTimeout: waitMs });
      onEnd?.();
      return made;
    } catch (error) {
      if (!isLeft(error)) throw error;
      const { home } = context.placement;
      // Of several that were sent there the first one says so.
      if (home.asked === asked) Object.assign(home, { asked: null, lost: holder });
    }
  }
}

/** Who has the workspace of this run; a worker takes it where nobody has. */
export function takeHome(context: RunContext): Promise<TakenHome> {
  const {
    placement: { home },
    root,
    settings,
  } = context;
  const { worktree } = settings;
  if (worktree?.travels === undefined) throw new Error('The workspace of this run does not travel');
  if (home.asked !== null) return home.asked;
  const { taskQueue } = workflowInfo();
  const { project, carry, from, travels: requires } = worktree;
  home.times += 1;
  const options: ActivityOptions = {
    activityId: treeActivityId('make', '', home.times),
    summary: 'workspace',
    startToCloseTimeout: TAKE_TIMEOUT,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: RETRY,
    ...(requires.length === 0 ? {} : { taskQueue: queueFor(taskQueue, requires) }),
  };
  const call = {
    run: root.run,
    project,
    carry,
    queue: taskQueue,
    ...(from === undefined ? {} : { from }),
    ...(home.lost === null ? {} : { lost: home.lost }),
    ...(home.ended === null ? {} : { ended: home.ended }),
  };
  const take = (): Promise<TakenHome> => acting.takeWorkspace.executeWithOptions(options, [call]);
  const asked = CancellationScope.nonCancellable(() =>
    requires.length === 0 ? take() : withWorker(context, requires, take),
  );
  asked.catch(() => {
    home.asked = null;
  });
  home.asked = asked;
  return asked;
}

/** Tells whether an activity was not begun where it was sent, or its files are another worker's now. */
function isLeft(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : null;
  if (cause instanceof TimeoutFailure) return cause.timeoutType === 'SCHEDULE_TO_START';
  return cause instanceof ApplicationFailure && cause.type === WORKSPACE_LOST;
}
