import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Where Linux lists the TCP connections of a network namespace: of each end its address, its peer's and its user. */
const TABLE = '/proc/net/tcp';
const ROOT = 0;

/**
 * Tells whether who connected over IPv4 loopback is of our own account, or root, who may do what we may. Also true
 * where the system does not tell, as elsewhere than on Linux.
 */
export async function isOwnPeer({ remoteAddress, remotePort, localAddress, localPort }: Socket): Promise<boolean> {
  const table = await readFile(TABLE, 'utf8').catch(() => null);
  if (table === null) return true;
  const ends = `${written(remoteAddress, remotePort)} ${written(localAddress, localPort)} `;
  const line = table.split('\n').find((one) => one.includes(ends));
  const user = Number(line?.trim().split(/\s+/)[7]);
  return user === process.getuid?.() || user === ROOT;
}

/** An address as the table writes it: four bytes in the machine's order, which is little-endian, and the port. */
function written(address = '', port = 0): string {
  const bytes = address.split('.').map((byte) => Number(byte));
  const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');
  return `${bytes
    .toReversed()
    .map((byte) => hex(byte, 2))
    .join('')}:${hex(port, 4)}`;
}
