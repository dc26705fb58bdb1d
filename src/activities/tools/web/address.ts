import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { hostNetworks, NEVER_OUTSIDE } from '../shell/network/closed.js';

/** IPv4 networks that are nobody's public address: what is never the outside, and the networks for documents. */
const PRIVATE_4 = [...NEVER_OUTSIDE, '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'];
/** Of IPv6 only what is given out as global counts, without what leads back to IPv4 or is for documents. */
const GLOBAL_6 = '2000::/3';
const PRIVATE_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

function listOf(networks: string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** With the addresses that stand for none: who connects to those comes here. */
const loopback = listOf(['127.0.0.0/8', '0.0.0.0/8'], 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addAddress('::', 'ipv6');
const private4 = listOf(PRIVATE_4, 'ipv4');
const private6 = listOf(PRIVATE_6, 'ipv6');
const global6 = listOf([GLOBAL_6], 'ipv6');

/** Tells whether an IP address, as `URL` and the resolver write it, is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !private4.check(address, 'ipv4');
    case 6:
      return global6.check(address, 'ipv6') && !private6.check(address, 'ipv6');
    default:
      return false;
  }
}

/**
 * Tells whether an address is one of the public internet and not of this machine, which may have public ones: what
 * listens on all of its addresses is not meant for agents.
 */
export function isOutside(address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return isPublicAddress(address) && !ownAddresses().check(address, family);
}

/** Tells whether an IP address leads to this machine itself. */
export function isThisMachine(address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return loopback.check(address, family) || ownAddresses().check(address, family);
}

/** What this machine answers for at this moment; where the system does not tell, the addresses of its interfaces. */
function ownAddresses(): BlockList {
  const own = listOf(routedHere(), 'ipv4');
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((found = []) => found))
    own.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
  return own;
}

function routedHere(): string[] {
  try {
    return hostNetworks();
  } catch {
    return [];
  }
}
