import { tryNetwork } from '../../activities/tools/shell/network/try-network.js';
import { NO_SANDBOX, findSandbox } from '../../activities/tools/shell/sandbox.js';
import type { Finding } from './finding.js';

/** Whether agents' commands can be kept in a sandbox here: that is tried. */
export async function sandboxFinding(): Promise<Finding> {
  const sandbox = await findSandbox();
  return {
    name: 'sandbox',
    ok: sandbox !== null,
    required: false,
    detail: sandbox?.file ?? 'there is none; agents with `shell` do not start',
    fix: sandbox === null ? NO_SANDBOX : null,
  };
}

/** The sandbox, and whether commands have the network in it. Both are tried. */
export async function sandboxFindings(): Promise<Finding[]> {
  const [sandbox, network] = await Promise.all([sandboxFinding(), tryNetwork()]);
  return [
    sandbox,
    {
      name: 'sandbox network',
      ok: network === null,
      required: false,
      detail:
        network === null
          ? 'slirp4netns, without a way to this machine'
          : `commands in the sandbox have no network: ${network}`,
      fix: network === null ? null : 'Install the packages slirp4netns and nftables',
    },
  ];
}
