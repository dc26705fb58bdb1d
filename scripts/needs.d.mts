/** Something that tests need of a machine, and what stands in for it there. */
export interface Need {
  /** The tag of the tests that need it. */
  name: string;
  tiers: string[];
  parts: { what: string; has: () => boolean; packages: string[] }[];
  full: boolean;
}

export interface Missing {
  name: string;
  packages: string[];
  /** Continues the name of a test: "needs `socat`, which this machine lacks (…)". */
  sentence: string;
}

export const NEEDS: Need[];
export function findMissing(options?: { tiers?: string[] | null; full?: boolean }): Missing[];
export function provide(options: { tiers: string[] | null; full: boolean; mayInstall: boolean; say: (line: string) => void }): Missing[];
export function postgresFolder(): string | null;
