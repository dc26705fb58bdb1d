import type { Resource } from '../plan/amounts.js';
import { toUsd } from '../plan/amounts.js';
import type { Ledger } from '../plan/ledger.js';

/** What a used-up limit says to people, in one sentence. */
export function neededText(
  { cap }: Pick<Ledger, 'cap'>,
  { resource, need, left }: { resource: Resource; need: number; left: number },
): string {
  const limit = cap[resource] ?? 0;
  switch (resource) {
    case 'steps':
      return `all ${limit} steps are used`;
    case 'nanousd':
      return `the next step may cost ${dollars(need)} and ${dollars(left)} is left of ${dollars(limit)}`;
    case 'tokens':
      return `the next step may take ${counted(need)} tokens and ${counted(left)} are left of ${counted(limit)}`;
    case 'slots':
      return `all ${limit} activities that may run at once are running`;
  }
}

/** How much of a limit is used, in one phrase. */
export function usedText(
  { cap, charged, assumed }: Pick<Ledger, 'cap' | 'charged' | 'assumed'>,
  resource: Exclude<Resource, 'slots'>,
): string {
  const limit = cap[resource] ?? 0;
  const told = resource === 'nanousd' ? dollars : counted;
  const unknown =
    assumed[resource] === 0
      ? ''
      : `, ${told(assumed[resource])} of it reserved for calls of which nobody knows what they have cost`;
  return `${told(charged[resource])} of ${told(limit)}${unknown}`;
}

/** The workflow sandbox has no locale that can be relied on. */
function counted(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

function dollars(nanousd: number): string {
  const usd = toUsd(nanousd);
  return `$${usd === 0 || usd >= 0.1 ? usd.toFixed(2) : usd.toPrecision(2)}`;
}
