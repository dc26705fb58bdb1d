/** How a narrator may feel. */
export const MOODS = ['excited', 'encouraging', 'concerned', 'celebrating'] as const;
export type Mood = (typeof MOODS)[number];

/** Characters that a message may have. */
export const MESSAGE_CHARACTERS = 200;
