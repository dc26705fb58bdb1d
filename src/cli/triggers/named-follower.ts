import type { Follower } from '../../plan/triggers/follow.js';
import type { Store } from '../../store/store.js';

/** Pauses what a definition starts when runs end, for a reason, goes on with it, or removes it. */
export async function changeFollower(
  known: Follower,
  action: { kind: 'pause'; note: string } | { kind: 'resume' | 'remove' },
  store: Pick<Store, 'readFollowers' | 'writeFollowers'>,
): Promise<void> {
  const all = await store.readFollowers();
  await store.writeFollowers(
    all.flatMap((one) => {
      if (one.definition !== known.definition) return [one];
      if (action.kind === 'remove') return [];
      const { paused: _before, ...rest } = one;
      return [action.kind === 'pause' ? { ...rest, paused: action.note } : rest];
    }),
  );
}
