import { createHash, randomBytes } from 'node:crypto';

/** A link for signing in is of no use after this time. */
const LINK_MS = 60 * 60_000;
const SESSION_MS = 7 * 24 * 60 * 60_000;

/**
 * Who is signed in. All of it is in the memory of this process: no tool of an agent can read it, and it ends with the
 * process.
 */
export interface Door {
  /** The token of a link by which a person signs in once. */
  invite(person: string): string;
  /** Uses a token up and gives the secret of a new session; null for a token that is unknown, used or too old. */
  enter(token: string): string | null;
  /** Who has this session; null for none. */
  personOf(session: string): string | null;
  leave(session: string): void;
}

interface Known {
  person: string;
  /** Epoch milliseconds. */
  until: number;
}

/** A door that nobody has come through. `now` gives epoch milliseconds. */
export function createDoor(now: () => number = Date.now): Door {
  // By hash: what is compared tells nothing of what is known.
  const links = new Map<string, Known>();
  const sessions = new Map<string, Known>();
  const issue = (known: Map<string, Known>, person: string, ms: number): string => {
    for (const [key, { until }] of known) if (until <= now()) known.delete(key);
    const secret = randomBytes(32).toString('base64url');
    known.set(hashOf(secret), { person, until: now() + ms });
    return secret;
  };
  const find = (known: Map<string, Known>, secret: string): string | null => {
    const found = known.get(hashOf(secret));
    return found === undefined || found.until <= now() ? null : found.person;
  };
  return {
    invite: (person) => issue(links, person, LINK_MS),
    enter(token) {
      const person = find(links, token);
      links.delete(hashOf(token));
      return person === null ? null : issue(sessions, person, SESSION_MS);
    },
    personOf: (session) => find(sessions, session),
    leave: (session) => void sessions.delete(hashOf(session)),
  };
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
