import type { Resource } from './amounts.js';
import type { Ledger } from './ledger.js';

/** From this part of a limit on people are warned. */
export const WARNED_AT = 0.8;

/** The limits of this run's own of which most is used for good: what is only reserved or lent may come back. */
export function nearlyUsed({ cap, charged }: Pick<Ledger, 'cap' | 'charged'>): Exclude<Resource, 'slots'>[] {
  return (['steps', 'nanousd', 'tokens'] as const).filter((resource) => {
    const limit = cap[resource];
    return limit !== null && charged[resource] > 0 && charged[resource] >= limit * WARNED_AT;
  });
}
