import { explainPort } from '../../activities/devices/port/explain-port.js';
import type { Config } from '../../compiler/project/config.js';
import { createDevices } from '../../compiler/project/devices.js';
import type { Project } from '../../compiler/project/project.js';
import type { Device } from '../../plan/devices/device.js';
import { isSimulated } from '../../plan/devices/device.js';
import type { Env } from '../../store/cache-folder.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import type { HostServer } from '../link/device-hosts.js';
import { askHost, isHere } from '../link/device-hosts.js';
import type { Finding } from './finding.js';
import { programFinding } from './programs.js';
import { hostStatus } from '../host/host-client.js';
import { reach } from '../connection/connect.js';
import type { TemporalSettings } from '../connection/temporal-settings.js';
import { createClient } from '../connection/temporal-client.js';
import { temporalSettings } from '../connection/temporal-settings.js';
import { shellCommand, shellWord } from '../../plan/text/shell-command.js';

/** The devices of `perdure.yml`, as their hosts see them, and the tools that those of this host need. */
export async function deviceFindings(
  project: Project,
  config: Pick<Config, 'devices' | 'task_queue'>,
  { env, keys }: { env: Env; keys: KeyRing | null },
): Promise<Finding[]> {
  const find = createDevices(project, config);
  const tools = new Map<string, string>();
  const devices = Object.entries(config.devices ?? {});
  const server = devices.every(([, device]) => isHere(device, config)) ? null : await serverOf(project, env, keys);
  const findings = await Promise.all(
    devices.map(async ([name, authored]): Promise<Finding> => {
      const about = { name: `device ${name}`, required: false };
      const found = find(name);
      if (!('device' in found)) return { ...about, ok: false, detail: found.message, fix: found.suggestion };
      const { device } = found;
      const { task_queue } = authored;
      if (task_queue !== undefined && !isHere(authored, config))
        return { ...about, ...(await farFinding(device, task_queue, server)) };
      for (const [tool, how] of Object.entries(device.kind.tools)) tools.set(tool, how);
      if (isSimulated(device)) return { ...about, ok: true, detail: `simulated ${device.board}`, fix: null };
      return { ...about, ...(await explainPort(device)) };
    }),
  ).finally(() => server?.connection.close());
  const programs = [...tools].map(([tool, fix]) =>
    programFinding(tool, { purpose: 'devices of perdure.yml need it', fix }, env),
  );
  return [...findings, ...programs];
}

/** A device of another host, as a worker there sees it. */
async function farFinding(
  device: Device,
  queue: string,
  server: HostServer | null,
): Promise<Pick<Finding, 'ok' | 'detail' | 'fix'>> {
  const where = `hangs on the host whose workers poll ${queue}`;
  if (server === null) return { ok: true, detail: `${where}; no server runs that could ask them`, fix: null };
  const answer = await askHost(server, queue, device);
  if (answer === null)
    return {
      ok: false,
      detail: `${where}; none of them answers`,
      fix: `Start one there: ${shellCommand('perdure worker', [], `--task-queue ${shellWord(queue)}`)}`,
    };
  return { ok: answer.path !== null, detail: `${answer.detail} (on the host of ${queue})`, fix: answer.fix };
}

/** The server that a run would use; null where none runs. */
async function serverOf({ stateDir }: Project, env: Env, keys: KeyRing | null): Promise<HostServer | null> {
  // Where it does not answer, another finding tells so.
  const status = await hostStatus(stateDir).catch(() => null);
  const own: TemporalSettings | null =
    status === null
      ? null
      : { address: status.address, namespace: 'default', connection: { address: status.address }, source: 'the host' };
  try {
    const settings = temporalSettings(env) ?? own;
    if (settings === null) return null;
    const connection = await reach(settings);
    return {
      connection,
      client: createClient({ connection, namespace: settings.namespace, keys }),
      namespace: settings.namespace,
    };
  } catch {
    return null; // Another finding tells why.
  }
}
