export type Tier = 'pure' | 'replay' | 'server' | 'hostile' | 'faults' | 'tools';

export const TIERS: Record<Tier, string[]>;
export const SHARDS: number;
export const LONG: number;

export function secondsOf(file: string): number;
export function filesOf(tier: Tier, root: string): string[];
export function shardOf(
  tier: Tier,
  files: { file: string; seconds: number }[],
  seed: string,
): { number: number; files: string[]; drawn: number; long: number };
