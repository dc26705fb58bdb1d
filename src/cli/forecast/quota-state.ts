import { readQuotaDay } from '../../activities/attempt/quota.js';
import { quotaIn } from '../../compiler/formats/quota.js';
import { toUsd } from '../../plan/budget/amounts.js';
import type { QuotaDay } from '../../plan/budget/quota.js';
import { dayOf, takenOn } from '../../plan/budget/quota.js';
import type { Session } from '../session.js';
import { safeName } from '../text/safe-text.js';

/** What of a day's quota is gone, in US dollars. */
export interface QuotaShare {
  /** Null for all together. */
  user: string | null;
  /** What calls have cost, and what is set aside for those under way. */
  used: number;
  held: number;
  /** Null where there is no limit. */
  most: number | null;
}

/** How today's quota stands: all together, then each user; null where `perdure.yml` names none. */
export async function quotaState(
  { config, store }: Session,
  now: number,
): Promise<{ day: string; shares: QuotaShare[] } | null> {
  const quota = quotaIn(config.quota);
  if (quota === null || store.folder === null) return null;
  const day = dayOf(now);
  const known = await readQuotaDay(store, day);
  const users = new Set([...Object.keys(known.used), ...Object.values(known.held).map(({ user }) => user)]);
  const shares = [null, ...[...users].sort()].map((user) =>
    shareOf(known, user, user === null ? quota.usd : quota.user_usd),
  );
  return { day, shares };
}

function shareOf(day: QuotaDay, user: string | null, most: number | null): QuotaShare {
  const { used, held } = takenOn(day, user);
  return { user, used: toUsd(used), held: toUsd(held), most };
}

/** The same for people, a line each. */
export function quotaLines({ shares }: { shares: QuotaShare[] }): string[] {
  const dollars = (usd: number): string => `$${usd.toFixed(2)}`;
  return shares.map(({ user, used, held, most }) => {
    const of = most === null ? '' : ` of ${dollars(most)}`;
    const aside = held === 0 ? '' : `, and ${dollars(held)} set aside for calls under way`;
    const whose = user === null ? 'quota   today' : `        ${safeName(user)}`;
    return `${whose}: ${dollars(used)}${of}${aside}`;
  });
}
