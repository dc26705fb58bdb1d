import { readFileSync } from 'node:fs';
import { BlockList } from 'node:net';

/**
 * IPv4 networks that are never the outside (IANA's special-purpose registry), and the one public address behind which a
 * cloud has services for the machine itself. The networks for documents are not among them: nobody is there.
 */
export const NEVER_OUTSIDE = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Where slirp4netns answers for the resolver of this machine. */
const RESOLVER = '10.0.2.3';

/** Names of the table and of the set in it that grows. */
const TABLE = 'inet perdure';
const SET = 'closed';

const never = new BlockList();
for (const network of NEVER_OUTSIDE) {
  const [address = '', prefix = ''] = network.split('/');
  never.addSubnet(address, Number(prefix), 'ipv4');
}

/**
 * Rules of nftables for a network namespace: names are asked for at the resolver alone, and what is never the outside,
 * is this machine (`own`: networks as `hostNetworks` gives them) or is no IPv4 cannot be reached. Its own loopback can.
 */
export function rules(own: string[]): string {
  return `table ${TABLE} {
  set ${SET} { type ipv4_addr; flags interval; auto-merge; elements = { ${[...NEVER_OUTSIDE, ...own].join(', ')} } }
  chain output {
    type filter hook output priority 0; policy drop;
    oifname "lo" accept
    ip daddr ${RESOLVER} meta l4proto { tcp, udp } th dport 53 accept
    meta nfproto ipv4 ip daddr != @${SET} accept
    reject with icmpx type admin-prohibited
  }
}`;
}

/** What closes more networks. */
export function closing(networks: string[]): string {
  return `add element ${TABLE} ${SET} { ${networks.join(', ')} }`;
}

/**
 * IPv4 networks that this machine answers for at this moment, as the kernel routes, without those that are closed
 * anyway. Throws where the system does not tell.
 */
export function hostNetworks(): string[] {
  return localNetworks(readFileSync('/proc/self/net/fib_trie', 'utf8')).filter(
    (network) => !never.check(network.split('/')[0] ?? '', 'ipv4'),
  );
}

/**
 * The networks in `/proc/net/fib_trie` that are local: an address of an interface, up or not, or a whole network that
 * is routed here.
 */
export function localNetworks(trie: string): string[] {
  const found = new Set<string>();
  let address = '';
  for (const line of trie.split('\n')) {
    address = /\|-- (\d+\.\d+\.\d+\.\d+)/.exec(line)?.[1] ?? address;
    const prefix = /^\s+\/(\d+) \w+ LOCAL\b/.exec(line)?.[1];
    if (prefix !== undefined) found.add(`${address}/${prefix}`);
  }
  return [...found];
}
