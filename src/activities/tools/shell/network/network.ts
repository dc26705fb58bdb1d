import { isExecutable } from '../../../../store/processes/find-on-path.js';

/** Programs by which a command in the sandbox gets a network of its own, by path. */
export interface NetworkPrograms {
  slirp4netns: string;
  nft: string;
  unshare: string;
  nsenter: string;
}

/** Debian's packages that have them. */
const PACKAGES: Record<keyof NetworkPrograms, string> = {
  slirp4netns: 'slirp4netns',
  nft: 'nftables',
  unshare: 'util-linux',
  nsenter: 'util-linux',
};
/** Never the PATH: a folder of it may be somebody else's. */
const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin'];

/** No network can be had; says why. The program was not begun. */
export class NoNetwork extends Error {}

/** Looks for the programs, anew each time. Throws `NoNetwork` that names the packages that are missing. */
export function findNetwork(): NetworkPrograms {
  const missing = new Set<string>();
  const find = (name: keyof NetworkPrograms): string => {
    const path = FOLDERS.map((folder) => `${folder}/${name}`).find(isExecutable);
    if (path === undefined) missing.add(PACKAGES[name]);
    return path ?? '';
  };
  const programs = {
    slirp4netns: find('slirp4netns'),
    nft: find('nft'),
    unshare: find('unshare'),
    nsenter: find('nsenter'),
  };
  if (missing.size > 0)
    throw new NoNetwork(
      `it needs ${[...missing].join(' and ')}: install the package${missing.size > 1 ? 's' : ''} of that name`,
    );
  return programs;
}
