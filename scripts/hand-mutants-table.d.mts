/** A promise that is broken by hand. */
export interface HandMutant {
  what: string;
  file: string;
  /** The code as it is, and as it is made. */
  from: string;
  to: string;
  tier: string;
  test: string;
}

export const MUTANTS: Record<string, HandMutant>;
