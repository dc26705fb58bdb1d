import { toNanoUsd } from './amounts.js';
import { ownOf } from '../values/own.js';

/** What all runs of a store may cost on one day (UTC), and those of one submitter, in US dollars; null is no limit. */
export interface Quota {
  usd: number | null;
  user_usd: number | null;
}

/** What a call is told of it: whose run it is made for. */
export interface QuotaTerms extends Quota {
  user: string;
}

/** What a call says that found no room in the quota of all runs. */
export interface QuotaUsed {
  message: string;
  /** When the day ends that it counts for; ISO 8601, UTC. */
  until: string;
}

/** What the calls of one day have cost, and what those may cost that are under way, in billionths of a dollar. */
export interface QuotaDay {
  /** By user. */
  used: Record<string, number>;
  /** By call. */
  held: Record<string, Hold>;
}

interface Hold {
  user: string;
  nanousd: number;
  /** What its question had cost before, over all that was asked for it: the rest is this call's. */
  before: number;
}

export const UNUSED: QuotaDay = { used: {}, held: {} };

/** Why a call finds no room: of which limit, what is left of it, and whether calls under way may give some back. */
export interface QuotaLack {
  limit: 'all' | 'user';
  most: number;
  left: number;
  mayReturn: boolean;
}

/**
 * Sets aside what a call may cost, where all limits have room for it. A call that was begun before and has said nothing
 * since keeps what it has.
 */
export function hold(
  day: QuotaDay,
  key: string,
  { user, nanousd, before }: Hold,
  quota: Quota,
): { day: QuotaDay } | { lack: QuotaLack } {
  const known = ownOf(day.held, key);
  const others = { ...day, held: without(day.held, key) };
  const limits = [
    { limit: 'all' as const, usd: quota.usd, of: null },
    { limit: 'user' as const, usd: quota.user_usd, of: user },
  ];
  for (const { limit, usd, of } of limits) {
    if (usd === null) continue;
    const most = toNanoUsd(usd);
    const { used, held } = takenOn(others, of);
    if (used + held + nanousd > most)
      return { lack: { limit, most, left: Math.max(0, most - used - held), mayReturn: used + nanousd <= most } };
  }
  const kept = { user, nanousd: Math.max(nanousd, known?.nanousd ?? 0), before: known?.before ?? before };
  return { day: { ...day, held: withOwn(day.held, key, kept) } };
}

/**
 * Replaces what was set aside by what was used: of what the question has cost `in_all`, what came since. Null is a cost
 * that nobody knows, which counts as it was set aside. What holds nothing changes nothing.
 */
export function settleHold(day: QuotaDay, key: string, inAll: number | null): QuotaDay {
  const known = ownOf(day.held, key);
  if (known === undefined) return day;
  const { user, nanousd, before } = known;
  const cost = inAll === null ? nanousd : Math.max(0, inAll - before);
  const used = ownOf(day.used, user) ?? 0;
  return { used: withOwn(day.used, user, used + cost), held: without(day.held, key) };
}

/** What was used and what is set aside, by one user or, for null, by all. */
export function takenOn({ used, held }: QuotaDay, user: string | null): { used: number; held: number } {
  const isMeant = (name: string): boolean => user === null || name === user;
  return {
    used: sum(Object.entries(used).flatMap(([name, nanousd]) => (isMeant(name) ? [nanousd] : []))),
    held: sum(Object.values(held).flatMap((one) => (isMeant(one.user) ? [one.nanousd] : []))),
  };
}

function sum(amounts: number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** A user may be called like anything: names are own properties. */
function withOwn<T>(of: Record<string, T>, name: string, value: T): Record<string, T> {
  return Object.fromEntries([...Object.entries(of).filter(([other]) => other !== name), [name, value]]);
}

function without<T>(of: Record<string, T>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(of).filter(([other]) => other !== name));
}

/** The day of a moment, by which quotas count: `2026-11-26`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** When the day of a moment ends, in epoch milliseconds. */
export function endOfDay(ms: number): number {
  return Date.parse(`${dayOf(ms)}T00:00:00Z`) + 86_400_000;
}
