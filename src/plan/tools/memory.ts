/** What kind of thing is remembered. */
export const MEMORY_CATEGORIES = [
  'architecture',
  'convention',
  'review',
  'decision',
  'goal',
  'constraint',
  'open_loop',
  'recent_change',
  'session_summary',
] as const;
export type MemoryCategory = (typeof MEMORY_CATEGORIES)[number];

/** Memories that a search gives where nobody says how many, and at most; of each so many characters. */
export const SEARCHED = { usual: 5, most: 50, characters: 800 } as const;
