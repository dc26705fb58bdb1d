/** The workflow that says whose turn it is at each device of a host; one for all runs of a namespace. */
export const KEEPER = 'perdureDevices';

/** Id of the keeper of one host's devices. It runs on that host's own queue: who only asks may be away. */
export function keeperIdOf(queue: string): string {
  return `perdure-devices/${queue}`;
}

/** Signal to the keeper; its one argument is a `KeeperMessage`. */
export const KEEPER_SIGNAL = 'keeper';
/** Signal from the keeper to a run; its one argument is a `KeeperAnswer`. */
export const DEVICE_SIGNAL = 'device';
/** Key of the keeper's memo: who holds which device, and who waits. */
export const LEASES_MEMO = 'perdure.leases';

/** One step of one run that wants a device to itself. */
export interface LeaseRequest {
  /** What is leased: `<task queue>/<port>`. */
  key: string;
  /** The device's name in the definition's project, for people. */
  device: string;
  /** The root run: steps of one tree follow each other without letting others in between. */
  tree: string;
  /** The run that asks, and the step's path below the root. */
  run: string;
  path: string;
  /** ISO 8601, UTC. */
  since: string;
}

export type KeeperMessage =
  | ({ kind: 'request' } & LeaseRequest)
  /** The step is over. `keep`: a later step of this run needs the device as it is now. */
  | { kind: 'done'; key: string; run: string; path: string; keep: boolean }
  /** The run needs the device no more. */
  | { kind: 'release'; key: string; run: string };

/**
 * `granted` says that the device is the step's; `refused` that it never will be, and why; `ping` asks for no answer.
 */
export type KeeperAnswer =
  { kind: 'granted'; path: string } | { kind: 'refused'; path: string; why: string } | { kind: 'ping' };

/** One device, who has it, and who waits, in the order in which they came. */
export interface Lease {
  key: string;
  device: string;
  tree: string | null;
  /** Runs of the tree that will need it again. */
  keeps: string[];
  active: LeaseRequest | null;
  queue: LeaseRequest[];
}

/**
 * What a message makes of the leases. Pure: the keeper tells those whose turn it is. A message that comes twice changes
 * nothing.
 */
export function takeMessage(leases: Lease[], message: KeeperMessage): Lease[] {
  const known = leases.find(({ key }) => key === message.key);
  const lease = known ?? {
    key: message.key,
    device: message.kind === 'request' ? message.device : message.key,
    tree: null,
    keeps: [],
    active: null,
    queue: [],
  };
  const others = leases.filter((other) => other !== known);
  return [...others, after(lease, message)].filter(({ tree, queue }) => tree !== null || queue.length > 0);
}

function after(lease: Lease, message: KeeperMessage): Lease {
  switch (message.kind) {
    case 'request': {
      const { kind: _kind, ...request } = message;
      const isThere = [...lease.queue, ...(lease.active === null ? [] : [lease.active])].some((other) =>
        isSame(other, request),
      );
      // Who asks again was not told, or has begun anew: it is told once more.
      if (lease.active !== null && isSame(lease.active, request))
        return { ...lease, active: null, queue: [request, ...lease.queue] };
      return isThere ? lease : { ...lease, queue: [...lease.queue, request] };
    }
    case 'done': {
      const active = lease.active !== null && isSame(lease.active, message) ? null : lease.active;
      const keeps = withRun(lease.keeps, message.run, message.keep);
      return freed({ ...lease, active, keeps, queue: lease.queue.filter((request) => !isSame(request, message)) });
    }
    case 'release':
      return freed({ ...lease, keeps: withRun(lease.keeps, message.run, false) });
  }
}

/** Everything that a run had or wanted is taken from it: it is gone. */
export function dropRun(leases: Lease[], run: string): Lease[] {
  return leases
    .map((lease) =>
      freed({
        ...lease,
        keeps: withRun(lease.keeps, run, false),
        active: lease.active?.run === run ? null : lease.active,
        queue: lease.queue.filter((request) => request.run !== run),
      }),
    )
    .filter(({ tree, queue }) => tree !== null || queue.length > 0);
}

function freed(lease: Lease): Lease {
  return lease.active === null && lease.keeps.length === 0 ? { ...lease, tree: null } : lease;
}

/**
 * Whose turn it is now: of a device that nobody uses the first who waits, of one that a tree keeps the first of that
 * tree.
 */
export function nextTurn(lease: Lease): LeaseRequest | null {
  if (lease.active !== null) return null;
  return lease.queue.find(({ tree }) => lease.tree === null || lease.tree === tree) ?? null;
}

/** The lease once it is that request's turn. */
export function granted(lease: Lease, request: LeaseRequest): Lease {
  return { ...lease, tree: request.tree, active: request, queue: lease.queue.filter((other) => other !== request) };
}

/**
 * A request that can never be granted: its tree keeps, unused, what another tree waits for, which keeps, unused, what
 * this request is for, in any number of steps. Of those that wait in such a circle the last to come is named.
 */
export function deadlocked(leases: Lease[]): { request: LeaseRequest; others: string[] } | null {
  const waits = leases.flatMap((lease) =>
    lease.active === null && lease.tree !== null ? lease.queue.map((request) => ({ request, holder: lease.tree })) : [],
  );
  const circles = waits.flatMap(({ request }) => {
    const seen: string[] = [request.tree];
    let current = request;
    for (;;) {
      const holder = waits.find((wait) => wait.request === current)?.holder;
      if (holder === undefined || holder === null) return [];
      if (holder === request.tree) return [{ request, others: seen.slice(1) }];
      const next = waits.find((wait) => wait.request.tree === holder);
      if (next === undefined || seen.includes(holder)) return [];
      seen.push(holder);
      current = next.request;
    }
  });
  return (
    circles.filter(({ others }) => others.length > 0).sort((a, b) => (a.request.since < b.request.since ? 1 : -1))[0] ??
    null
  );
}

function withRun(keeps: string[], run: string, keep: boolean): string[] {
  const others = keeps.filter((other) => other !== run);
  return keep ? [...others, run] : others;
}

function isSame(a: Pick<LeaseRequest, 'run' | 'path'>, b: Pick<LeaseRequest, 'run' | 'path'>): boolean {
  return a.run === b.run && a.path === b.path;
}
