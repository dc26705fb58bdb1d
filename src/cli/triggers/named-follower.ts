import type { Follower } from '../../plan/triggers/follow.js';
import type { Store } from '../../store/store.js';

/** Pauses what a definition starts when runs end, for a reason, goes on with it, or removes it. */
export async function changeFollower(
  known: Follower,
  action: { kind: 'pause'; note: string } | { kind: 'resume' | 'remove' },
  store: Pick<Store, 'changeFollowers'>,
): Promise<void> {
  const { definition, project } = known;
  await store.changeFollowers(
    action.kind === 'remove'
      ? { remove: [{ definition, project }] }
      : { pause: { definition, note: action.kind === 'pause' ? action.note : null } },
  );
}
