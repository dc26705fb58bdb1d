/** A starter that has one of the places of its hook, and since when: ISO 8601, UTC. */
export interface HookPlace {
  starter: string;
  at: string;
}

/** A listener's wish for a place. */
export interface HookWish extends HookPlace {
  /** So many places the hook has. */
  most: number;
  /** Starters that have ended: their places are free. */
  ended: string[];
}

/** What became of it, with all places as they are then. */
export interface HookTaken {
  isTaken: boolean;
  places: HookPlace[];
}

/** Gives a starter a place, unless all are taken by others; one that has a place keeps it. */
export function takePlace(places: HookPlace[], { starter, at, most, ended }: HookWish): HookTaken {
  if (places.some((place) => place.starter === starter)) return { isTaken: true, places };
  const left = places.filter((place) => !ended.includes(place.starter));
  return left.length < most ? { isTaken: true, places: [...left, { starter, at }] } : { isTaken: false, places: left };
}
