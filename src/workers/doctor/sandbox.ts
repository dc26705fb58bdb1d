import { tryNetwork } from '../../activities/tools/shell/network/try-network.js';
import { NO_SANDBOX, findSandbox } from '../../activities/tools/shell/sandbox.js';
import type { Finding } from './finding.js';

/** Tells whether agents' commands can be kept in a sandbox here, and have the network in it. Both are tried. */
export async function sandboxFindings(): Promise<Finding[]> {
  const [sandbox, network] = await Promise.all([findSandbox(), tryNetwork()]);
  return [
    {
      name: 'sandbox',
      ok: sandbox !== null,
      required: false,
      detail: sandbox?.file ?? 'there is none; agents with `shell` do not start',
      fix: sandbox === null ? NO_SANDBOX : null,
    },
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
