import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { toNanoUsd, toUsd } from '../../plan/budget/amounts.js';
import type { QuotaDay, QuotaLack, QuotaTerms } from '../../plan/budget/quota.js';
import { UNUSED, dayOf, endOfDay, hold, settleHold } from '../../plan/budget/quota.js';
import type { FailureType } from '../../plan/failure.js';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import { sha256 } from '../../store/hash.js';
import type { JournalEntry, JournalKey } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import type { Question } from './call-journal.js';

/** What other calls have set aside may come back when they end: so long one waits for it. */
const WAITS_MS = 60_000;
const LOOKS_AGAIN_MS = 250;

type Asked = Pick<Question, 'call' | 'part'> & { terms: QuotaTerms | undefined };

/**
 * Sets aside what a call may cost, before it is made, of the quota that all runs of the store share (decision 54).
 * `before` is what its question had cost. Throws `quota-used` where there is no room: the run pauses then.
 */
export async function takeQuota(
  store: Store,
  asked: Asked,
  { needs, before, signal }: { needs: { usd: number; tokens: number }; before: number; signal: AbortSignal },
): Promise<void> {
  const { terms } = asked;
  if (terms === undefined || needs.usd === 0) return;
  const { user } = terms;
  const wanted = { user, nanousd: toNanoUsd(needs.usd), before: toNanoUsd(before) };
  const until = Date.now() + WAITS_MS;
  for (;;) {
    const now = Date.now();
    let lack: QuotaLack | null = null;
    await change(store, dayOf(now), (day) => {
      const taken = hold(day, nameOf(asked), wanted, terms);
      lack = 'lack' in taken ? taken.lack : null;
      return 'lack' in taken ? day : taken.day;
    });
    const found = lack as QuotaLack | null; // set in the function above
    if (found === null) return;
    if (!found.mayReturn || now > until) throw quotaUsed(found, terms, needs, endOfDay(now));
    await pause(LOOKS_AGAIN_MS, undefined, { signal });
  }
}

/**
 * Puts what a question has cost in all in place of what was set aside for its last call; null where nobody knows. Does
 * nothing where that was done.
 */
export async function settleQuota(store: Store, asked: Asked, usd: number | null): Promise<void> {
  if (asked.terms === undefined) return;
  const name = nameOf(asked);
  const now = Date.now();
  // The day may have changed meanwhile.
  for (const day of [dayOf(now), dayOf(now - 86_400_000)]) {
    if (!Object.hasOwn((await readQuotaDay(store, day)).held, name)) continue;
    await change(store, day, (known) => settleHold(known, name, usd === null ? null : toNanoUsd(usd)));
    return;
  }
}

/** The account of a day. */
export async function readQuotaDay(store: Pick<Store, 'readJournal'>, day: string): Promise<QuotaDay> {
  return dayIn(await store.readJournal(keyOf(day)));
}

/** The journal in which a day's account is. */
export function quotaScope(day: string): string {
  return `quota ${day}`;
}

async function change(store: Store, day: string, act: (known: QuotaDay) => QuotaDay): Promise<void> {
  await store.mergeJournal(keyOf(day), (entry) => {
    const response = act(dayIn(entry)) as unknown as Json; // numbers and names
    return { request: sha256(day), response, at: new Date().toISOString() };
  });
}

function keyOf(day: string): JournalKey {
  return { scope: quotaScope(day), key: day };
}

/** What `change` wrote; nothing for none. */
function dayIn(entry: JournalEntry | null): QuotaDay {
  return (entry?.response as unknown as QuotaDay | undefined) ?? UNUSED;
}

function nameOf({ call: { root, path, try: tried }, part }: Asked): string {
  return sha256(canonicalJson([root.first, path, tried, ...part])).slice('sha256:'.length, 'sha256:'.length + 16);
}

function quotaUsed(
  { limit, most, left }: QuotaLack,
  { user }: QuotaTerms,
  needs: { usd: number; tokens: number },
  until: number,
): ApplicationFailure {
  const whose = limit === 'all' ? '' : ` of \`${user}\``;
  const dollars = (nanousd: number): string => `$${toUsd(nanousd).toFixed(2)}`;
  return ApplicationFailure.create({
    type: 'quota-used' satisfies FailureType,
    nonRetryable: true,
    message:
      `the next call may cost $${needs.usd.toFixed(needs.usd < 0.1 ? 4 : 2)} and ${dollars(left)} is left of today's ` +
      `quota${whose} of ${dollars(most)}`,
    details: [{ ...needs, until: new Date(until).toISOString() }],
  });
}
