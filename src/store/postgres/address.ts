import { StoreFailure } from '../store-failure.js';

/** Where a database is, in words that people may read: no user, no password (I13). */
export interface DatabaseAddress {
  /** The whole address, with its password: for the client alone. */
  url: string;
  /** `host:port/database`. */
  place: string;
}

const EXPECTED = 'expected an address such as `postgres://user:password@host:5432/database`';

/** Reads the address of a database. Throws a `StoreFailure` that tells nothing of it. */
export function readAddress(url: string): DatabaseAddress {
  const { protocol, hostname, port, pathname, searchParams } = parse(url);
  if (!['postgres:', 'postgresql:'].includes(protocol))
    throw new StoreFailure('internal', `The address of the store is none: ${EXPECTED}.`);
  const host = hostname || (searchParams.get('host') ?? 'localhost');
  return { url, place: `${host}:${port || '5432'}${pathname.length > 1 ? pathname : ''}` };
}

function parse(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new StoreFailure('internal', `The address of the store is none: ${EXPECTED}.`);
  }
}
