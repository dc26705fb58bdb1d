import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Follower, FollowersChange } from '../../plan/triggers/follow.js';
import { FOLLOWED_ENDS, changedFollowers } from '../../plan/triggers/follow.js';
import { writeAtomically } from '../files.js';
import { withLease } from '../folders/lease.js';
import { makeFolders } from '../folders/root.js';
import { StoreFailure, storeFailure } from '../store-failure.js';
import { readTextNow } from '../read-regular.js';

export interface FollowerFiles {
  /** The definitions whose runs start when others end, as they were synced. */
  readFollowers(): Promise<Follower[]>;
  /** Changes them, whoever else does meanwhile, and gives all of them. Damaged ones are written anew. */
  changeFollowers(change: FollowersChange): Promise<Follower[]>;
}

const keptSchema = z.object({
  /** The store that they were synced for: a copy of its folder starts nothing by them. */
  store: z.string(),
  followers: z.array(
    z.looseObject({
      definition: z.string(),
      definitions: z.array(z.string()),
      ends: z.array(z.enum(FOLLOWED_ENDS)),
      prepared: z.string(),
    }),
  ),
});

/** Followers in one file, which is asked for whenever a run ends; beside it the lease of who changes them. */
export function createFollowerFiles(path: string, store: string): FollowerFiles {
  const readFollowers = async (): Promise<Follower[]> => {
    // Nearly always there is none.
    if (!existsSync(path)) return [];
    let text: string;
    try {
      text = readTextNow(path);
    } catch (error) {
      throw storeFailure(error, 'read', path);
    }
    return followersIn(text, store, `the file \`${path}\``);
  };
  return {
    readFollowers,
    changeFollowers(change) {
      const lease = `${path}.lease`;
      makeFolders(lease);
      return withLease(lease, {}, async ({ require }) => {
        const followers = changedFollowers(await soundFollowers(readFollowers), change);
        require();
        await writeAtomically(path, keptFollowers(followers, store));
        return followers;
      });
    },
  };
}

/** Followers as they are kept. */
export function keptFollowers(followers: Follower[], store: string): string {
  return JSON.stringify({ store, followers });
}

/** Those that are read; none where what is known of them is damaged. */
export async function soundFollowers(read: () => Promise<Follower[]>): Promise<Follower[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StoreFailure && error.type === 'store-missing') return [];
    throw error;
  }
}

/** Those of this store, of what was kept at a `place`. Throws a `StoreFailure` where that is damaged. */
export function followersIn(text: string, store: string, place: string): Follower[] {
  try {
    const kept = keptSchema.parse(JSON.parse(text));
    // The rest of each is as `keptFollowers` wrote it.
    return kept.store === store ? (kept.followers as unknown as Follower[]) : [];
  } catch (error) {
    throw new StoreFailure(
      'store-missing',
      `What starts when runs end is not known: ${place} is damaged. \`perdure schedules sync\` writes it anew.`,
      { cause: error },
    );
  }
}
