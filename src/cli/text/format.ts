/** A duration as people read it: `0.1s`, `41s`, `1m06s`, `2h03m`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}m${twoDigits(whole % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h${twoDigits(minutes % 60)}m` : `${Math.floor(hours / 24)}d${twoDigits(hours % 24)}h`;
}

/** A limit of time, without seconds that say nothing: `30m`, `1h30m`, `0.5m`. */
export function formatMinutes(minutes: number): string {
  if (minutes < 60) return `${minutes}m`;
  return minutes % 60 === 0
    ? `${minutes / 60}h`
    : `${Math.floor(minutes / 60)}h${twoDigits(Math.round(minutes % 60))}m`;
}

/** Money in US dollars; an unknown price is said, never shown as nothing. */
export function formatUsd(usd: number | null): string {
  if (usd === null) return 'cost unknown';
  if (usd === 0) return '$0';
  if (usd < 0.0005) return '<$0.001';
  return usd < 1 ? `$${usd.toFixed(3)}` : `$${usd.toFixed(2)}`;
}

/** A count with thousands apart: `18,204`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 step`, `3 steps`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The short form of a hash that people compare at a glance: its first six digits. */
export function shortHash(hash: string): string {
  return hash.replace(/^sha256:/, '').slice(0, 6);
}

/** Head and tail of a hash, as a gate shows it: `sha256 9c41…e07b`. */
export function gateHash(hash: string): string {
  const digits = hash.replace(/^sha256:/, '');
  return `sha256 ${digits.slice(0, 4)}…${digits.slice(-4)}`;
}

/** How long ago something was, roughly: `just now`, `4m ago`, `2h ago`, `3d ago`. */
export function formatAge(iso: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(iso)) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes}m ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}h ago`;
  return `${Math.floor(minutes / 1440)}d ago`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
