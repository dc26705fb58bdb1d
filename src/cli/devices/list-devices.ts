import type { Device } from '../../plan/devices/device.js';
import { isSimulated } from '../../plan/devices/device.js';
import type { Lease } from '../../plan/devices/device-queue.js';
import { keeperIdOf } from '../../plan/devices/device-queue.js';
import { leasesIn } from '../../activities/devices/leases-in.js';
import { findPort } from '../../activities/devices/port/ports.js';
import { createDevices, leaseKeyOf } from '../../compiler/project/devices.js';
import { askHost, isHere } from '../../workers/link/device-hosts.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Session, Workspace } from '../session.js';

/** A step that has a device, or waits for it. */
export interface Holder {
  run: string;
  path: string;
  /** Since when it wants the device; ISO 8601, UTC. */
  since: string;
}

export interface ListedDevice {
  name: string;
  kind: string;
  board: string | null;
  /** Where it is found: a port; where it is not, what the definition says. */
  port: string | null;
  /** True for a device that is plugged in; null for one of another host where nobody answers. */
  found: boolean | null;
  /** Why it is not found or cannot be used; null when all is well. */
  problem: string | null;
  /** The queue of the host it hangs on, where the definition names one. */
  task_queue: string | null;
  /** Whether a worker of that host answers; null where nobody was asked. */
  served: boolean | null;
  holder: Holder | null;
  /** The run whose later steps need the device as it is now, when no step is at it. */
  kept_by: string | null;
  /** Those whose turn comes, in order. */
  waiting: Holder[];
}

export interface DeviceList {
  devices: ListedDevice[];
  /** Who holds and who waits is known only to the server. */
  serverIsDown: boolean;
}

/** The devices of `perdure.yml`: where each is, who has it, and who waits. Starts nothing. */
export async function listDevices({ project, config }: Workspace, session: Session | null): Promise<DeviceList> {
  const find = createDevices(project, config);
  const authored = Object.entries(config.devices ?? {});
  return withServer(session, async (server) => {
    return Promise.all(
      authored.map(async ([name, { kind, task_queue = null }]): Promise<ListedDevice> => {
        const known = find(name);
        const none = { name, kind, task_queue, holder: null, kept_by: null, waiting: [] };
        if (!('device' in known))
          return {
            ...none,
            board: null,
            port: null,
            found: false,
            problem: known.suggestion === null ? known.message : `${known.message} (${known.suggestion})`,
            served: null,
          };
        const { device } = known;
        const host = task_queue ?? server?.link.taskQueue ?? null;
        const lease =
          host === null
            ? undefined
            : (await server?.leasesAt(host))?.find(({ key }) => key === leaseKeyOf(host, device));
        const far =
          task_queue !== null && !isHere({ task_queue }, config)
            ? await farPlace(device, task_queue, server?.link ?? null)
            : null;
        return { ...none, board: device.board, ...(far ?? (await placeOf(device))), ...heldBy(lease) };
      }),
    );
  });
}

type Place = Pick<ListedDevice, 'port' | 'found' | 'problem' | 'served'>;

/** Where a device of this host is. */
async function placeOf(device: Device): Promise<Place> {
  if (isSimulated(device)) return { port: 'simulated', found: true, problem: null, served: null };
  const found = await findPort(device);
  return 'path' in found
    ? { port: found.path, found: true, problem: null, served: null }
    : { port: device.port, found: false, problem: found.missing, served: null };
}

/** Where a device of another host is: only workers there can see it. */
async function farPlace(device: Device, queue: string, link: TemporalLink | null): Promise<Place> {
  const unseen = { port: device.port ?? device.usb, found: null, problem: null };
  if (link === null) return { ...unseen, served: null };
  const answer = await askHost(link, queue, device);
  if (answer === null) return { ...unseen, served: false };
  return {
    port: answer.path ?? unseen.port,
    found: answer.path !== null,
    problem: answer.path === null ? answer.detail : null,
    served: true,
  };
}

function heldBy(lease: Lease | undefined): Pick<ListedDevice, 'holder' | 'kept_by' | 'waiting'> {
  const toHolder = ({ run, path, since }: Holder): Holder => ({ run, path, since });
  if (lease === undefined) return { holder: null, kept_by: null, waiting: [] };
  return {
    holder: lease.active && toHolder(lease.active),
    kept_by: lease.active === null ? lease.tree : null,
    waiting: lease.queue.map(toHolder),
  };
}

interface Server {
  link: TemporalLink;
  /** Who has the devices of the host with this queue, and who waits. */
  leasesAt: (queue: string) => Promise<Lease[]>;
}

/** Lists with what the server knows, where there is one; it is not started for that. */
async function withServer(
  session: Session | null,
  list: (server: Server | null) => Promise<ListedDevice[]>,
): Promise<DeviceList> {
  if (session === null || !session.mayKnowRuns()) return { devices: await list(null), serverIsDown: false };
  let link: TemporalLink;
  try {
    link = await session.connect({ start: false });
  } catch (error) {
    if (error instanceof Error && error.name === 'UnavailableError' && !session.isElsewhere)
      return { devices: await list(null), serverIsDown: true };
    throw error;
  }
  try {
    const known = new Map<string, Promise<Lease[]>>();
    const leasesAt = (queue: string): Promise<Lease[]> => {
      const leases = known.get(queue) ?? readLeases(link, queue);
      known.set(queue, leases);
      return leases;
    };
    return { devices: await list({ link, leasesAt }), serverIsDown: false };
  } finally {
    await link.close();
  }
}

/**
 * What the keeper of a host's devices shows in its memo; nothing when none runs, because nobody has or wants a device.
 */
async function readLeases({ client }: TemporalLink, queue: string): Promise<Lease[]> {
  try {
    const { status, memo } = await client.workflow.getHandle(keeperIdOf(queue)).describe();
    return status.name === 'RUNNING' ? leasesIn(memo) : [];
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return [];
    throw error;
  }
}
