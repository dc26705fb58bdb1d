import {
  continueAsNew,
  getExternalWorkflowHandle,
  setHandler,
  setWorkflowOptions,
  upsertMemo,
  workflowInfo,
  defineSignal,
} from '@temporalio/workflow';
import { condition } from '../determinism/condition.js';
import type { KeeperAnswer, KeeperMessage, Lease, LeaseRequest } from '../../plan/devices/device-queue.js';
import {
  DEVICE_SIGNAL,
  KEEPER_SIGNAL,
  LEASES_MEMO,
  deadlocked,
  dropRun,
  granted,
  nextTurn,
  takeMessage,
} from '../../plan/devices/device-queue.js';
import { quick } from '../activities.js';

const messages = defineSignal<[KeeperMessage]>(KEEPER_SIGNAL);
/** How often runs that hold what others wait for are asked whether they are still there. */
const PING_MS = 10_000;
/** The keeper stays this long when nobody has or wants a device. */
const IDLE_MS = 5_000;
const EVENTS = 2_000;

/**
 * Keeps the devices of one host: who has which, and who comes next. Order, and that people see it, is its task; that a
 * port is never open twice is the kernel's, which knows when a program is dead (`activities/devices/port/`). A run that
 * is gone is found out by a signal that does not arrive. Returns when no device is held or wanted.
 */
export async function perdureDevices(before: Lease[] = []): Promise<void> {
  let leases = before;
  const inbox: KeeperMessage[] = [];
  let shown = '';
  let suspected = '';
  setHandler(messages, (message) => void inbox.push(message));

  const drop = async (request: Pick<LeaseRequest, 'run'>, answer: KeeperAnswer): Promise<void> => {
    if (!(await isReached(request.run, answer))) leases = dropRun(leases, request.run);
  };

  /** What no message tells: who waits for ever, and who is gone. */
  const lookRound = async (): Promise<void> => {
    const { stuck, isSure } = await findDeadlock(leases, suspected);
    suspected = stuck === null ? '' : JSON.stringify(stuck);
    if (stuck !== null && isSure) {
      const { request, others } = stuck;
      leases = takeMessage(leases, {
        kind: 'done',
        key: request.key,
        run: request.run,
        path: request.path,
        keep: false,
      });
      await drop(request, {
        kind: 'refused',
        path: request.path,
        why: `\`${others.join('`, `')}\` keeps \`${request.device}\` and waits for a device that this run keeps`,
      });
    }
    for (const run of holders(leases)) await drop({ run }, { kind: 'ping' });
  };

  for (;;) {
    const isBusy = leases.length > 0;
    const isWanted = leases.some(({ queue }) => queue.length > 0);
    const hasMail = await condition(() => inbox.length > 0, isWanted ? PING_MS : isBusy ? '1 day' : IDLE_MS);
    for (const message of inbox.splice(0)) leases = takeMessage(leases, message);
    if (!hasMail && isWanted) await lookRound();
    for (let turn = turnIn(leases); turn !== null; turn = turnIn(leases)) {
      const { lease, request } = turn;
      leases = leases.map((other) => (other === lease ? granted(lease, request) : other));
      await drop(request, { kind: 'granted', path: request.path });
    }
    shown = show(leases, shown);
    if (inbox.length > 0) continue;
    if (leases.length === 0 && !hasMail) return;
    if (workflowInfo().historyLength > EVENTS) await continueAsNew<typeof perdureDevices>(leases);
  }
}

/**
 * Runs of all versions of workers use one keeper, so it goes on with the version that takes new runs. Said to a worker
 * of none, the server would not take what it does.
 */
setWorkflowOptions(
  () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' } : {}),
  perdureDevices,
);

type Deadlock = ReturnType<typeof deadlocked>;

/**
 * A request that waits in a circle for itself, through devices of this host or of others. What other keepers show may
 * be over by now: such a circle is sure where it is still the same one at the next look. The one who waits here is
 * refused.
 */
async function findDeadlock(leases: Lease[], suspected: string): Promise<{ stuck: Deadlock; isSure: boolean }> {
  const own = deadlocked(leases);
  if (own !== null) return { stuck: own, isSure: true };
  const stuck = deadlocked([...leases, ...(await quick.readLeases())]);
  const isHere = leases.some(({ queue }) => queue.some((request) => request === stuck?.request));
  return isHere ? { stuck, isSure: JSON.stringify(stuck) === suspected } : { stuck: null, isSure: false };
}

function turnIn(leases: Lease[]): { lease: Lease; request: LeaseRequest } | null {
  for (const lease of leases) {
    const request = nextTurn(lease);
    if (request !== null) return { lease, request };
  }
  return null;
}

/** Runs that hold what others wait for. */
function holders(leases: Lease[]): string[] {
  const wanted = leases.filter(({ queue }) => queue.length > 0);
  return [...new Set(wanted.flatMap(({ keeps, active }) => [...keeps, ...(active === null ? [] : [active.run])]))];
}

async function isReached(run: string, answer: KeeperAnswer): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(run).signal(DEVICE_SIGNAL, answer);
    return true;
  } catch {
    return false;
  }
}

/** Who holds and who waits, for `devices list`: one event when that changes. */
function show(leases: Lease[], shown: string): string {
  const text = JSON.stringify(leases);
  if (text !== shown) upsertMemo({ [LEASES_MEMO]: leases });
  return text;
}
